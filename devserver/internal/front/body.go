package front

import (
	"io"
	"net/http"
	"time"
)

// bodyTimeout is how long a request's body may take to arrive: as long as the API gives a request.
const bodyTimeout = time.Minute

// limitBodyTime lets a request's body arrive within a timeout. After that, reading it fails, and the connection is
// closed once the request has been answered, also by a handler that has not read it. Requests without a body, such as
// watches, are not limited.
func limitBodyTime(timeout time.Duration, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			h.ServeHTTP(w, r)
			return
		}
		control := http.NewResponseController(w)
		if err := control.SetReadDeadline(time.Now().Add(timeout)); err != nil {
			h.ServeHTTP(w, r) // a test's ResponseWriter, which has no connection
			return
		}
		timed := r.WithContext(r.Context())
		timed.Body = &timedBody{r.Body, control}
		h.ServeHTTP(w, timed)
	})
}

// A timedBody is a body with a deadline.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read removes the deadline at the end of the body: the server continues reading, to notice when the client leaves, and
// a failure of that ends the request.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		if e := b.control.SetReadDeadline(time.Time{}); e != nil {
			return n, e
		}
	}
	return n, err
}
