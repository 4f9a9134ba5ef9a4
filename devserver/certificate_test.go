package main

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"
	"time"
)

// TestAuthorityIsConstrained signs, with the authority's key, for hosts that it was not
// made for: nobody who trusts the authority believes it.
func TestAuthorityIsConstrained(t *testing.T) {
	now := time.Now()
	o := options{addr: "192.0.2.7:8080",
		allowed: []string{"Box.Example.", "2001:db8::7", "::ffff:192.0.2.8", "fe80::1%eth0", "", "."}}
	a, err := newAuthority(o.certificateHosts(), now)
	if err != nil {
		t.Fatal(err)
	}
	if !a.constrained() || !a.permits(o.certificateHosts(), now) {
		t.Errorf("%+v", a.certificate)
	}
	for host, want := range map[string]bool{
		"localhost": true, "tab.localhost": true, "127.0.0.1": true, "127.200.0.9": true, "::1": true,
		"192.0.2.7": true, "192.0.2.8": true, "2001:db8::7": true, "fe80::1": true, "box.example": true,
		"192.0.2.9": false, "2001:db8::8": false, "::2": false, "0.0.0.0": false, "10.0.0.1": false,
		"evil.example": false, "boxxbox.example": false, "example": false, "localhost.evil.example": false,
		"*.example": false,
	} {
		if got := a.permits([]string{host}, now); got != want {
			t.Errorf("%s: permitted %v", host, got)
		}
		if a.permits([]string{"localhost", host}, now) != want {
			t.Errorf("%s beside localhost: permitted %v", host, !want)
		}
	}
}

// TestAuthorityIsRenewed opens a directory with an authority that will not do.
func TestAuthorityIsRenewed(t *testing.T) {
	now := time.Now()
	dir := t.TempDir()
	open := func(hosts ...string) (*authority, bool) {
		t.Helper()
		a, renewed, err := openAuthority(osDisk{}, dir, hosts, now)
		if err != nil {
			t.Fatal(err)
		}
		return a, renewed
	}
	if err := replaceFile(osDisk{}, dir+"/"+authorityName, bytes.NewReader(unconstrained(t, now))); err != nil {
		t.Fatal(err)
	}
	var last []byte
	for _, step := range []struct {
		hosts   []string
		renewed bool
	}{
		{[]string{"localhost", "127.0.0.1"}, true}, // the one there could sign for any host
		{[]string{"localhost", "127.0.0.1"}, false},
		{[]string{"localhost", "box.example"}, true},
		{[]string{"localhost", "box.example", "::1"}, false},
		{[]string{"localhost"}, false}, // which it may as well
		{[]string{"192.0.2.7"}, true},
	} {
		a, renewed := open(step.hosts...)
		if renewed != step.renewed || bytes.Equal(last, a.PEM()) == renewed || !a.permits(step.hosts, now) {
			t.Errorf("%v: renewed is %v", step.hosts, renewed)
		}
		last = a.PEM()
	}
}

// unconstrained returns an authority as earlier versions made it.
func unconstrained(t *testing.T, now time.Time) []byte {
	t.Helper()
	old, err := selfSigned(&x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "old"}, NotBefore: now.Add(-time.Hour),
		NotAfter: now.Add(time.Hour),
		IsCA:     true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := old.encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
