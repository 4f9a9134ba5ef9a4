package reply

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// Request builds the http.Request that a handler sees for what a page asked:
// rawURL is absolute, or begins with a slash; headers is a block as Block makes
// it. It fails on a URL that net/http's own server would refuse.
func Request(ctx context.Context, method, rawURL, headers string, body []byte) (*http.Request, error) {
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
		Header:     ParseBlock(headers),
		RemoteAddr: "127.0.0.1:0",
		Body:       http.NoBody,
	}).WithContext(ctx)
	u.Scheme, u.Host, u.User, u.Fragment, u.RawFragment = "", "", nil, "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	r.URL, r.RequestURI = u, u.RequestURI()
	if len(body) > 0 {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return r, nil
}

// ParseBlock reads the headers of a block as Block makes it.
func ParseBlock(block string) http.Header {
	h := http.Header{}
	for line := range strings.Lines(block) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok {
			h.Add(name, value)
		}
	}
	return h
}

// Block writes a header as lines of "name: value", in the order of names.
func Block(h http.Header) string { return string(AppendBlock(nil, h)) }

// AppendBlock appends what Block writes.
func AppendBlock(to []byte, h http.Header) []byte {
	var few [16]string
	names := few[:0]
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range h[name] {
			to = append(append(to, name...), ": "...)
			if strings.ContainsAny(value, "\r\n") {
				value = oneLine.Replace(value)
			}
			for _, c := range []byte(value) {
				to = utf8.AppendRune(to, rune(c)) // a character for each byte, as fetch shows headers
			}
			to = append(to, '\n')
		}
	}
	return to
}

// oneLine keeps a value from beginning another header, as net/http does.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

// BadRequest answers a request that could not be built.
func BadRequest(err error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "400 Bad Request: "+err.Error(), http.StatusBadRequest)
	})
}
