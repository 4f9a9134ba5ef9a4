package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
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
	a, err := New(nil, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := a.Sign(Hosts("127.0.0.1:0", nil), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	both := SpeakBoth(l, certificate)
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
