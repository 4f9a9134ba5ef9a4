package main

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"testing"
)

// TestSpeakBoth asks one port by HTTP and by HTTPS.
func TestSpeakBoth(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	both, err := speakBoth(l)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) })}
	go server.Serve(both)
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	for _, scheme := range []string{"http", "https", "http"} {
		res, err := client.Get(scheme + "://" + l.Addr().String() + "/" + scheme)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || string(body) != "/"+scheme {
			t.Errorf("%s: %q, %v", scheme, body, err)
		}
	}
}
