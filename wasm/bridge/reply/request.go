package reply

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Request builds the http.Request that a handler sees for what a page asked:
// rawURL is absolute, or begins with a slash; fields are names and values in
// turn. It fails on what net/http's own server would refuse.
func Request(ctx context.Context, method, rawURL string, fields []string, body []byte) (*http.Request, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, err
	}
	if u.Host == "" && (u.Path == "" || u.Path[0] != '/') {
		return nil, fmt.Errorf("invalid request target %q", rawURL)
	}
	r := (&http.Request{
		Method:     method,
		Host:       u.Host,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     make(http.Header, len(fields)/2),
		RemoteAddr: "127.0.0.1:0",
		Body:       http.NoBody,
	}).WithContext(ctx)
	u.Scheme, u.Host, u.User, u.Fragment, u.RawFragment = "", "", nil, "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	r.URL, r.RequestURI = u, u.RequestURI()
	for i := 0; i+1 < len(fields); i += 2 {
		r.Header.Add(fields[i], fields[i+1])
	}
	if len(body) > 0 {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return r, nil
}

// BadRequest answers a request that could not be built.
func BadRequest(err error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "400 Bad Request: "+err.Error(), http.StatusBadRequest)
	})
}
