package reply

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
)

func TestRequest(t *testing.T) {
	tests := map[string]struct {
		url, host, uri, path, query string
		fails                       bool
	}{
		"absolute": {url: "https://lab.example:8443/api/v1/pods?limit=5#x",
			host: "lab.example:8443", uri: "/api/v1/pods?limit=5", path: "/api/v1/pods", query: "limit=5"},
		"origin form":    {url: "/api/v1", uri: "/api/v1", path: "/api/v1"},
		"escaped":        {url: "/api/a%2Fb", uri: "/api/a%2Fb", path: "/api/a/b"},
		"no path":        {url: "http://a.example", host: "a.example", uri: "/", path: "/"},
		"bad escape":     {url: "/api/%zz", fails: true},
		"no slash":       {url: "api", fails: true},
		"empty":          {url: "", fails: true},
		"control":        {url: "/a\x00b", fails: true},
		"bad port":       {url: "http://a.example:x/", fails: true},
		"query as it is": {url: "/api?a=%zz&b", uri: "/api?a=%zz&b", path: "/api", query: "a=%zz&b"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			const headers = "accept: a\nAccept: b\nX-One: 1\nX-Empty: \nodd\n"
			r, err := Request(context.Background(), "POST", tt.url, headers, []byte("body"))
			if tt.fails {
				if err == nil {
					t.Fatalf("no error, but %v", r.URL)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Host != tt.host || r.RequestURI != tt.uri ||
				r.URL.Path != tt.path || r.URL.RawQuery != tt.query || r.URL.IsAbs() {
				t.Errorf("host %q, uri %q, path %q, query %q, url %v", r.Host, r.RequestURI, r.URL.Path, r.URL.RawQuery, r.URL)
			}
			if got := fmt.Sprint(r.Header); got != "map[Accept:[a b] X-Empty:[] X-One:[1]]" {
				t.Errorf("header %s", got)
			}
			if b, _ := io.ReadAll(r.Body); string(b) != "body" || r.ContentLength != 4 {
				t.Errorf("body %q of length %d", b, r.ContentLength)
			}
		})
	}
}

func TestBlock(t *testing.T) {
	h := http.Header{"B": {"2", "3"}, "A": {"1"}, "Evil": {"x\r\nSet-Cookie: y"}, "Empty": {""}}
	block := Block(h)
	if want := "A: 1\nB: 2\nB: 3\nEmpty: \nEvil: x  Set-Cookie: y\n"; block != want {
		t.Fatalf("%q, want %q", block, want)
	}
	r, err := Request(context.Background(), "GET", "/", block, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again := Block(r.Header); again != block {
		t.Errorf("read and written again it is %q", again)
	}
	if got, want := Block(http.Header{"Warning": {"日"}}), "Warning: \u00e6\u0097\u00a5\n"; got != want {
		t.Errorf("a header beyond ASCII is %q, want a character for each byte: %q", got, want)
	}
	if Block(nil) != "" {
		t.Errorf("no header is %q", Block(nil))
	}
}

func FuzzRequest(f *testing.F) {
	for _, s := range []string{
		"/", "/api/v1/pods?limit=1", "https://a.example/b%2Fc", "//x/y", "/%", "*", "a:b", "http://[::1]:80/x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, target string) {
		r, err := Request(context.Background(), "GET", target, "", nil)
		if err != nil {
			return
		}
		if r.URL.Scheme != "" || r.URL.Host != "" || r.RequestURI == "" || r.Body == nil {
			t.Errorf("%q became %+v", target, r.URL)
		}
		w := New(context.Background(), &recorder{})
		w.Serve(http.NotFoundHandler(), r)
	})
}
