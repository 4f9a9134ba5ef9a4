package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// trust returns a pool of one authority.
func trust(t *testing.T, pem []byte) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatalf("no certificate: %q", pem)
	}
	return pool
}

// TestSpeakBoth asks one port by HTTP and by HTTPS.
func TestSpeakBoth(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a, err := newAuthority(nil, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := a.sign((&options{addr: "127.0.0.1:0"}).certificateHosts(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	both := speakBoth(l, certificate)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		io.WriteString(w, r.URL.Path)
	})}
	go server.Serve(both)
	defer server.Close()
	silent, err := net.Dial("tcp", l.Addr().String()) // keeps nobody waiting
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, c := range []struct {
		scheme string
		http2  bool
		proto  string
	}{
		{"http", true, "HTTP/1.1"},
		{"https", true, "HTTP/2.0"},
		{"https", false, "HTTP/1.1"},
		{"http", false, "HTTP/1.1"},
	} {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust(t, a.PEM())},
			ForceAttemptHTTP2: c.http2}}
		defer client.CloseIdleConnections()
		res, err := client.Get(c.scheme + "://" + l.Addr().String() + "/" + c.scheme)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || string(body) != "/"+c.scheme || res.Proto != c.proto || (res.TLS != nil) != (c.scheme == "https") {
			t.Errorf("%+v: %q by %s, %v", c, body, res.Proto, err)
		}
	}
}

// TestAuthorityIsKept verifies a certificate by the authority of an earlier start.
func TestAuthorityIsKept(t *testing.T) {
	dir := t.TempDir()
	o := options{addr: "127.0.0.1:0", allowed: []string{"box.example"}, data: dir}
	first, err := o.authority()
	if err != nil {
		t.Fatal(err)
	}
	second, err := o.authority()
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := second.sign(o.certificateHosts(), time.Now())
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
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != ownersOnly {
		t.Errorf("%v, %v", info, err)
	}
	if _, _, err := openAuthority(osDisk{}, dir, nil, time.Now().AddDate(authorityYears+1, 0, 0)); err == nil ||
		!strings.Contains(err.Error(), "expired") {
		t.Errorf("years later: %v", err)
	}
	if err := os.WriteFile(name, first.PEM(), ownersOnly); err != nil {
		t.Fatal(err)
	}
	if _, err := o.authority(); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("without the key: %v", err)
	}
}
