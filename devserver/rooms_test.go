package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/credentials"
	"github.com/tabernetes/tabernetes/devserver/internal/front"
)

// TestRoomsNeedTLS does not start a server whose rooms a network could listen to.
func TestRoomsNeedTLS(t *testing.T) {
	for addr, loopback := range map[string]bool{"127.0.0.1:8080": true, "0.0.0.0:8080": false} {
		o := options{addr: addr, apiOnly: true, quota: 1, authorization: credentials.AlwaysAllow}
		if _, err := o.check(); err != nil {
			t.Errorf("%s without rooms: %v", addr, err)
		}
		o.rooms = true
		if _, err := o.check(); (err == nil) != loopback {
			t.Errorf("%s with rooms: %v", addr, err)
		}
		o.tls = true
		if _, err := o.check(); err != nil {
			t.Errorf("%s with rooms and TLS: %v", addr, err)
		}
	}
	if err := run(t.Context(), []string{"--rooms", "--addr", "0.0.0.0:0", "--api-only"}); err != errUsage {
		t.Errorf("the server starts: %v", err)
	}
}

// trust returns a pool of one authority.
func trust(t *testing.T, pem []byte) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatalf("no certificate: %q", pem)
	}
	return pool
}

// TestServeRooms starts the real program, trusts its authority, and opens a room as a client would that
// comes through a proxy.
func TestServeRooms(t *testing.T) {
	_, line := start(t, "--addr", "127.0.0.1:0", "--api-only", "--controllers=false", "--rooms", "--tls",
		"--allow-host", "lab.example")
	address, ok := strings.CutPrefix(line, "listening on https://")
	if !ok {
		t.Fatalf("the first line is %q", line)
	}
	ask := func(config *tls.Config, method, url, host string) (code int, body []byte) {
		t.Helper()
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
		defer client.CloseIdleConnections()
		r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if body, err = io.ReadAll(res.Body); err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, body
	}
	_, pem := ask(&tls.Config{InsecureSkipVerify: true}, "GET", "https://"+address+front.AuthorityPath, "")
	trusted := &tls.Config{RootCAs: trust(t, pem)}
	for _, c := range []struct {
		method, url, host string
		want              int
	}{
		{"POST", "https://" + address + "/rooms", "lab.example", 201},
		{"POST", "http://" + address + "/rooms", "lab.example", 403},
		{"POST", "http://" + address + "/rooms", "", 201},
		{"GET", "https://" + address + "/api", "lab.example", 403},
		{"GET", "https://" + address + "/api", "", 200},
		{"GET", "https://" + address + "/api", "evil.example", 421},
	} {
		if code, body := ask(trusted, c.method, c.url, c.host); code != c.want {
			t.Errorf("%s %s for %s: %d %s, want %d", c.method, c.url, c.host, code, body, c.want)
		}
	}
}
