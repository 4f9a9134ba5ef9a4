package certificate

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/data"
)

// TestAuthorityIsConstrained signs, with the authority's key, for hosts that it was not
// made for: nobody who trusts the authority believes it.
func TestAuthorityIsConstrained(t *testing.T) {
	now := time.Now()
	hosts := Hosts("192.0.2.7:8080",
		[]string{"Box.Example.", "2001:db8::7", "::ffff:192.0.2.8", "fe80::1%eth0", "", "."})
	a, err := New(hosts, now)
	if err != nil {
		t.Fatal(err)
	}
	if !a.constrained() || !a.permits(hosts, now) {
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

// TestAuthorityIsKept verifies a certificate by the authority of an earlier start.
func TestAuthorityIsKept(t *testing.T) {
	dir := t.TempDir()
	hosts := Hosts("127.0.0.1:0", []string{"box.example"})
	start := func() (*Authority, error) { return Open(dir, hosts, time.Now(), io.Discard) }
	first, err := start()
	if err != nil {
		t.Fatal(err)
	}
	second, err := start()
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := second.Sign(hosts, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(certificate.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{"127.0.0.1": true, "::1": true, "localhost": true, "box.example": true,
		"evil.example": false} {
		_, err := leaf.Verify(x509.VerifyOptions{Roots: trust(t, first.PEM()), DNSName: host})
		if (err == nil) != want {
			t.Errorf("%s: %v", host, err)
		}
	}
	name := filepath.Join(dir, authorityName)
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, _, err := open(dir, nil, time.Now().AddDate(authorityYears+1, 0, 0)); err == nil ||
		!strings.Contains(err.Error(), "expired") {
		t.Errorf("years later: %v", err)
	}
	if _, _, err := open(dir, hosts, time.Now().AddDate(-1, 0, 0)); err == nil ||
		!strings.Contains(err.Error(), "not valid before") {
		t.Errorf("with a clock that goes a year late: %v", err)
	}
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	if third, err := start(); err != nil || !bytes.Equal(third.PEM(), first.PEM()) {
		t.Errorf("with a key that others may read: %v", err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may still read the key: %v, %v", info, err)
	}
	if err := os.WriteFile(name, first.PEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := start(); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("without the key: %v", err)
	}
}

// TestAuthorityIsRenewed opens a directory with an authority that will not do.
func TestAuthorityIsRenewed(t *testing.T) {
	now := time.Now()
	dir := t.TempDir()
	again := func(hosts ...string) (*Authority, bool) {
		t.Helper()
		a, renewed, err := open(dir, hosts, now)
		if err != nil {
			t.Fatal(err)
		}
		return a, renewed
	}
	if err := data.ReplaceFile(dir+"/"+authorityName, bytes.NewReader(unconstrained(t, now))); err != nil {
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
		a, renewed := again(step.hosts...)
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
