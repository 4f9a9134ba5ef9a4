package cluster

import (
	"bytes"
	"net/http"
)

// An Answer is an http.ResponseWriter that keeps what is written: the answer to a program that asks a handler without a
// connection. It is for one request, and not for watches, since it keeps the whole body. It stands in for
// net/http/httptest, which adds a flag to every program that imports it.
type Answer struct {
	// Code is the status, 200 until another one is written.
	Code int
	// Body is what was written.
	Body bytes.Buffer

	header http.Header
}

// Ask has a handler answer a request.
func Ask(h http.Handler, r *http.Request) *Answer {
	a := &Answer{Code: http.StatusOK, header: http.Header{}}
	h.ServeHTTP(a, r)
	return a
}

// Header implements http.ResponseWriter.
func (a *Answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *Answer) WriteHeader(code int) { a.Code = code }

// Write implements http.ResponseWriter.
func (a *Answer) Write(b []byte) (int, error) { return a.Body.Write(b) }
