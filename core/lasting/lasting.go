// Package lasting lets the answer of a request continue after its handlers have returned, as watches do, which mostly
// wait. A goroutine that waits inside of all handlers keeps a stack of 16 KB, and the request with its buffers; one
// that only has the rest of the answer to write needs 2 or 4 KB.
//
// A host that can do so gives a request a context of New. The handler that answers with a stream hands the rest of it
// to Continue and returns; the host then calls Run. Whatever handlers around it have to do at the end of the request,
// they defer with End. Without such a context, or if nothing continues, a request ends with its handlers as usual.
//
// Invariants: what was given to End is called exactly once, in order, after the last byte. The rest of an answer keeps
// nothing of the request but its context.
package lasting

import (
	"context"
	"io"
)

// A Request is one whose answer may continue.
type Request struct {
	rest func(io.Writer) error
	ends []func()
}

type key struct{}

// New returns a context for a request whose answer may continue. The context has to last as long as the answer.
func New(ctx context.Context) (context.Context, *Request) {
	r := new(Request)
	return context.WithValue(ctx, key{}, r), r
}

// Continue hands over the rest of an answer whose beginning was flushed, and reports whether the host takes it. If so,
// the handler returns, and rest is called with what sends all of each Write at once; its error says that the answer is
// to be cut off.
func Continue(ctx context.Context, rest func(io.Writer) error) bool {
	r, _ := ctx.Value(key{}).(*Request)
	if r == nil {
		return false
	}
	r.rest = rest
	return true
}

// End calls f, or keeps it for the end of the request if its answer continues. It is for defer.
func End(ctx context.Context, f func()) {
	if r, _ := ctx.Value(key{}).(*Request); r != nil && r.rest != nil {
		r.ends = append(r.ends, f)
		return
	}
	f()
}

// Continues reports whether the answer continues. The host asks after the handlers have returned, and calls Run if so.
func (r *Request) Continues() bool { return r.rest != nil }

// Run writes the rest of the answer, and ends the request. It returns the error of the rest.
func (r *Request) Run(w io.Writer) error {
	defer func() {
		for _, f := range r.ends {
			f()
		}
	}()
	return r.rest(w)
}
