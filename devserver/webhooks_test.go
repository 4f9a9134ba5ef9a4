package main

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
)

// A webhook is called over TLS, with HTTP/2 on this machine, and only if the
// certificates of its configuration have signed its own.
func TestWebhooks(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/hang":
			<-r.Context().Done()
			return
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "%s %s %s %s", r.Proto, r.Method, r.Header.Get("User-Agent"), body)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = nil
	server.StartTLS()
	defer server.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	port := func() string { u, _ := url.Parse(server.URL); return u.Port() }()

	closed := httptest.NewServer(nil)
	closed.Close()
	ended, end := context.WithCancel(context.Background())
	end()

	var w webhooks
	for name, test := range map[string]struct {
		ctx  context.Context
		call admission.Call
		want string // the reply, or what the error begins with
	}{
		"answer":       {nil, admission.Call{URL: server.URL, CABundle: ca}, "201 application/json HTTP/2.0 POST agent question"},
		"no CA":        {nil, admission.Call{URL: server.URL}, "error tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		"bad CA":       {nil, admission.Call{URL: server.URL, CABundle: []byte("x")}, "error unable to load root certificates: "},
		"redirect":     {nil, admission.Call{URL: server.URL + "/moved", CABundle: ca}, "302 "},
		"refused":      {nil, admission.Call{URL: strings.Replace(closed.URL, "http:", "https:", 1)}, "error dial tcp " + closed.Listener.Addr().String() + ": connect: connection refused"},
		"given up":     {ended, admission.Call{URL: server.URL + "/hang", CABundle: ca}, "error context canceled"},
		"service":      {nil, admission.Call{URL: "https://example.com:443/", CABundle: ca, Service: true, Address: "localhost:" + port}, "201 application/json HTTP/1.1 POST agent question"},
		"service's IP": {nil, admission.Call{URL: "https://s.ns.svc:443/", CABundle: ca, Service: true, Address: "10.96.0.9:443"}, "error dial tcp 10.96.0.9:443: connect: network is unreachable"},
	} {
		test.call.Header, test.call.Body = http.Header{"User-Agent": {"agent"}}, []byte("question")
		ctx := test.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		reply, err := w.call(ctx, &test.call)
		got := ""
		if err != nil {
			got = "error " + err.Error()
			if errors.Is(err, context.Canceled) {
				got = "error context canceled"
			}
		} else {
			got = fmt.Sprintf("%d %s %s", reply.Code, reply.ContentType, reply.Body)
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
