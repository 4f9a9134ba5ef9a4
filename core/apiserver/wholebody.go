package apiserver

import (
	"bytes"
	"net/http"
	"sync"
)

// maxKeptBody is how large a body may be for its buffer to be used again.
const maxKeptBody = 64 << 10

// bodyBuffers is a pool of buffers for bodies of which nothing is kept. BenchmarkRequests shows its worth: a create
// allocates a tenth less.
var bodyBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// reuse puts a buffer into the pool. Nobody may have what was in it.
func reuse(buffer *bytes.Buffer) {
	if buffer.Cap() <= maxKeptBody+bytes.MinRead {
		buffer.Reset()
		bodyBuffers.Put(buffer)
	}
}

// readWhole reads a request's body of at most limit bytes into a buffer, to which it belongs. It asks grow whether
// there is memory for so many.
func readWhole(r *http.Request, limit int64, grow func(int64) bool, buffer *bytes.Buffer) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	if n := r.ContentLength; n > 0 { // the buffer does not grow
		buffer.Grow(int(min(n, maxKeptBody)) + bytes.MinRead)
	}
	if _, err := buffer.ReadFrom(newUnreadBody(r, limit, grow)); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}
