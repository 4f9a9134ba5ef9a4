// Package http is what the browser's binary has as net/http: the types by which
// a handler is asked and answers, and nothing that opens a connection. That
// binary needs no more, since its requests come from JavaScript; the standard
// library's package would bring TLS and its tables with it, a quarter of what
// the browser has to load.
//
// The names and their behaviour are net/http's, as far as they go; the tests
// compare them. Nobody imports this package: package overlay puts this file in the
// place of net/http's own for the binaries, beside those that it keeps (methods,
// status codes, sniffing). What else the binaries come to use has to be added here.
package http

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
)

// The errors that handlers and their ResponseWriters tell each other.
var (
	ErrAbortHandler   = errors.New("net/http: abort Handler")
	ErrBodyNotAllowed = errors.New("http: request method or response status code does not allow body")
	ErrContentLength  = errors.New("http: wrote more than the declared Content-Length")
	ErrNotSupported   = errors.New("feature not supported")
)

// A Handler answers requests.
type Handler interface {
	ServeHTTP(ResponseWriter, *Request)
}

// HandlerFunc makes a Handler of a function.
type HandlerFunc func(ResponseWriter, *Request)

// ServeHTTP calls f.
func (f HandlerFunc) ServeHTTP(w ResponseWriter, r *Request) { f(w, r) }

// A ResponseWriter takes the answer to a request.
type ResponseWriter interface {
	Header() Header
	Write([]byte) (int, error)
	WriteHeader(statusCode int)
}

// A Flusher is a ResponseWriter that can send what it has so far.
type Flusher interface{ Flush() }

// A Request is a request as a handler gets it.
type Request struct {
	Method        string
	URL           *url.URL
	Proto         string
	ProtoMajor    int
	ProtoMinor    int
	Header        Header
	Body          io.ReadCloser
	ContentLength int64
	Host          string
	RemoteAddr    string
	RequestURI    string

	ctx context.Context
}

// Context ends when nobody waits for the answer any more.
func (r *Request) Context() context.Context {
	if r.ctx == nil {
		return context.Background()
	}
	return r.ctx
}

// WithContext returns a shallow copy of r with another context.
func (r *Request) WithContext(ctx context.Context) *Request {
	if ctx == nil {
		panic("nil context")
	}
	clone := *r
	clone.ctx = ctx
	return &clone
}

// NoBody is the body of a request that has none.
var NoBody = noBody{}

// A Response is the answer to a request that the server itself makes. The caller closes its Body.
type Response struct {
	StatusCode int
	Header     Header
	Body       io.ReadCloser
}

// A RoundTripper has a request answered.
type RoundTripper interface {
	RoundTrip(*Request) (*Response, error)
}

type noBody struct{}

func (noBody) Read([]byte) (int, error)         { return 0, io.EOF }
func (noBody) Close() error                     { return nil }
func (noBody) WriteTo(io.Writer) (int64, error) { return 0, nil }

// Error answers with a text and a status code. What the handler had said about
// another body is forgotten.
func Error(w ResponseWriter, text string, code int) {
	h := w.Header()
	h.Del("Content-Length")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text+"\n")
}

// NotFound answers that there is nothing here.
func NotFound(w ResponseWriter, _ *Request) { Error(w, "404 page not found", 404) }

// A ResponseController does for a ResponseWriter what not each of them can.
type ResponseController struct{ w ResponseWriter }

// NewResponseController controls w, or what it wraps.
func NewResponseController(w ResponseWriter) *ResponseController { return &ResponseController{w} }

// Flush sends what was written so far.
func (c *ResponseController) Flush() error {
	for w := c.w; ; {
		switch f := w.(type) {
		case interface{ FlushError() error }:
			return f.FlushError()
		case Flusher:
			f.Flush()
			return nil
		case interface{ Unwrap() ResponseWriter }:
			w = f.Unwrap()
		default:
			return ErrNotSupported
		}
	}
}

// A Header holds the lines of a request's or an answer's head under their
// canonical names.
type Header map[string][]string

// Add adds a value to those under key.
func (h Header) Add(key, value string) {
	key = CanonicalHeaderKey(key)
	h[key] = append(h[key], value)
}

// Set makes value the only one under key.
func (h Header) Set(key, value string) { h[CanonicalHeaderKey(key)] = []string{value} }

// Get returns the first value under key, or empty.
func (h Header) Get(key string) string {
	if values := h[CanonicalHeaderKey(key)]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Values returns all values under key. They are not a copy.
func (h Header) Values(key string) []string { return h[CanonicalHeaderKey(key)] }

// Del removes the values under key.
func (h Header) Del(key string) { delete(h, CanonicalHeaderKey(key)) }

// Clone returns a copy that shares nothing with h.
func (h Header) Clone() Header {
	if h == nil {
		return nil
	}
	clone := make(Header, len(h))
	for key, values := range h {
		if values != nil {
			values = append([]string{}, values...)
		}
		clone[key] = values
	}
	return clone
}

// tokenMarks are what a header's name may consist of besides letters and digits.
const tokenMarks = "!#$%&'*+-.^_`|~"

// CanonicalHeaderKey writes a header's name with a capital after each hyphen and
// small letters else. What is no name stays as it is.
func CanonicalHeaderKey(name string) string {
	canonical := true
	upper := true
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z':
			canonical = canonical && !upper
		case 'A' <= c && c <= 'Z':
			canonical = canonical && upper
		case '0' <= c && c <= '9', strings.IndexByte(tokenMarks, c) >= 0:
		default:
			return name
		}
		upper = c == '-'
	}
	if canonical {
		return name
	}
	out := []byte(name)
	upper = true
	for i, c := range out {
		if upper && 'a' <= c && c <= 'z' {
			out[i] = c - 'a' + 'A'
		} else if !upper && 'A' <= c && c <= 'Z' {
			out[i] = c - 'A' + 'a'
		}
		upper = c == '-'
	}
	return string(out)
}
