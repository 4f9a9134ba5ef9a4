package main

import (
	"io"
	"net/http"
	"time"
)

// bodyPatience is how long a request's body may take to arrive: as long as the API gives
// a request.
const bodyPatience = time.Minute

// patient lets a request's body arrive within some time. Reading it fails after that, and
// the connection is closed once the request has been answered, be it by a handler that
// has not read it. Requests without a body, watches for example, last as long as they like.
func patient(patience time.Duration, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			h.ServeHTTP(w, r)
			return
		}
		control := http.NewResponseController(w)
		if err := control.SetReadDeadline(time.Now().Add(patience)); err != nil {
			h.ServeHTTP(w, r) // a test's ResponseWriter, which has no connection
			return
		}
		timed := r.WithContext(r.Context())
		timed.Body = &timedBody{r.Body, control}
		h.ServeHTTP(w, timed)
	})
}

// A timedBody is a body that there is a deadline for.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read takes the deadline away with the end of the body: the server continues reading, to
// notice when the client leaves, and a failure of that ends the request.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		if e := b.control.SetReadDeadline(time.Time{}); e != nil {
			return n, e
		}
	}
	return n, err
}
