package main

import (
	"compress/gzip"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// compressFrom is the length above which the real server compresses an answer, in
// bytes, and at this cheapest level.
const (
	compressFrom  = 128 << 10
	compressLevel = gzip.BestSpeed
)

// compressed compresses what an API answers with, for clients that say that they
// take gzip, as the real server does: objects and lists that are long, but no
// streams and no documents of OpenAPI v3.
func compressed(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api") || !takesGzip(r.Header.Get("Accept-Encoding")) {
			api.ServeHTTP(w, r)
			return
		}
		c := &compressor{ResponseWriter: w}
		api.ServeHTTP(c, r)
		c.end() // not after a panic: the client is to see that the answer is cut off
	})
}

// takesGzip reads an Accept-Encoding header as the real server does: weights do
// not belong to it.
func takesGzip(header string) bool {
	for word := range strings.SplitSeq(header, ",") {
		if strings.TrimSpace(word) == "gzip" {
			return true
		}
	}
	return false
}

// A compressor compresses the answer if its head promises that it is worth it.
type compressor struct {
	http.ResponseWriter
	begun bool
	gzip  *gzip.Writer // nil: the answer goes through as it is
}

// compressors are used again: each has tables of a megabyte.
var compressors = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, compressLevel) // fails for other levels only
	return w
}}

func (c *compressor) WriteHeader(code int) {
	if header := c.Header(); !c.begun && worthIt(header) {
		header.Set("Content-Encoding", "gzip")
		header.Add("Vary", "Accept-Encoding")
		header.Del("Content-Length")
		c.gzip = compressors.Get().(*gzip.Writer)
		c.gzip.Reset(c.ResponseWriter)
	}
	c.begun = true
	c.ResponseWriter.WriteHeader(code)
}

// worthIt says whether an answer with this head is an object or a list, and long.
// Those whose length is not known are streams.
func worthIt(header http.Header) bool {
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || length <= compressFrom {
		return false
	}
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && (media == "application/json" || media == "application/yaml" || media == "application/vnd.kubernetes.protobuf")
}

func (c *compressor) Write(b []byte) (int, error) {
	if !c.begun {
		c.WriteHeader(http.StatusOK)
	}
	if c.gzip != nil {
		return c.gzip.Write(b)
	}
	return c.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController: what is flushed is not compressed.
func (c *compressor) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// end writes what is left of the answer.
func (c *compressor) end() {
	if c.gzip == nil {
		return
	}
	_ = c.gzip.Close() // a client that left is no concern of ours
	c.gzip.Reset(nil)
	compressors.Put(c.gzip)
}
