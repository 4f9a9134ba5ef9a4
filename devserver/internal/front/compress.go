package front

import (
	"compress/gzip"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Lengths in bytes from which on the real server compresses an answer.
const (
	compressObjects = 128<<10 + 1
	compressOpenAPI = 1400
)

// compressed compresses the answers of an API for clients that accept gzip, as the real server does: long objects and
// lists, and OpenAPI v2, but no streams and no documents of OpenAPI v3.
func compressed(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &compressor{ResponseWriter: w}
		switch path := r.URL.Path; {
		case path == wellknown.OpenAPI+"/v2":
			w.Header().Add("Vary", "Accept-Encoding")
			c.worthIt = isDocument
		case strings.HasPrefix(path, wellknown.API):
			c.worthIt = isLongObject
		}
		if c.worthIt == nil || !takesGzip(r.Header.Get("Accept-Encoding")) {
			api.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(c, r)
		c.end() // not after a panic: the client is to see that the answer is cut off
	})
}

// takesGzip reads an Accept-Encoding header as the real server does: it knows no weights.
func takesGzip(header string) bool {
	for word := range strings.SplitSeq(header, ",") {
		if strings.TrimSpace(word) == "gzip" {
			return true
		}
	}
	return false
}

// A compressor compresses the answer if its header says that this is worthwhile.
type compressor struct {
	http.ResponseWriter
	// worthIt reports whether to compress an answer with this header, and completes the header if so.
	worthIt func(http.Header) bool
	begun   bool
	gzip    *gzip.Writer // nil: the answer goes through as it is
}

// compressors are used again: each has tables of a megabyte. The level is the one of
// the real server.
var compressors = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails for other levels only
	return w
}}

func (c *compressor) WriteHeader(code int) {
	if header := c.Header(); !c.begun && c.worthIt(header) {
		header.Set("Content-Encoding", "gzip")
		header.Del("Content-Length")
		c.gzip = compressors.Get().(*gzip.Writer)
		c.gzip.Reset(c.ResponseWriter)
	}
	c.begun = true
	c.ResponseWriter.WriteHeader(code)
}

// isLongObject reports whether an answer with this header is an object or a list, and long. Those of unknown length are
// streams.
func isLongObject(header http.Header) bool {
	if contentLength(header) < compressObjects {
		return false
	}
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || media != "application/json" && media != "application/yaml" &&
		media != "application/vnd.kubernetes.protobuf" {
		return false
	}
	header.Add("Vary", "Accept-Encoding")
	return true
}

// isDocument reports whether an answer of OpenAPI v2 has a document.
func isDocument(header http.Header) bool { return contentLength(header) >= compressOpenAPI }

// contentLength returns the length that a header gives, or 0.
func contentLength(header http.Header) int {
	length, _ := strconv.Atoi(header.Get("Content-Length"))
	return length
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

// Unwrap is for http.ResponseController.
func (c *compressor) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// FlushError sends what was written.
func (c *compressor) FlushError() error {
	if !c.begun {
		c.WriteHeader(http.StatusOK)
	}
	if c.gzip != nil {
		if err := c.gzip.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(c.ResponseWriter).Flush()
}

// Flush is for handlers that ask for it by interface.
func (c *compressor) Flush() { _ = c.FlushError() } // whose failure the next write has too

// end writes what is left of the answer.
func (c *compressor) end() {
	if c.gzip == nil {
		return
	}
	_ = c.gzip.Close() // a client that left is no concern of ours
	c.gzip.Reset(nil)
	compressors.Put(c.gzip)
}
