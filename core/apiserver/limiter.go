package apiserver

import (
	"context"
	"net/http"

	"github.com/tabernetes/tabernetes/core/auth"
)

// A Limiter bounds what each user takes of a server, so that none takes it from the others.
//
// With one a request is authenticated before anything else, and one that is refused has taken no
// seat and no memory for its body.
type Limiter interface {
	// Enter is called with the user of a request. It returns the error to answer with; or a context
	// for the request, which may end before that of the client, and a function to call at the
	// request's end, with the number of bytes of the answer.
	Enter(ctx context.Context, u *auth.User, use Use) (limited context.Context, leave func(answered int64), err error)
}

// A Use is what a request needs.
type Use struct {
	Kind UseKind
	// Asked are the attributes of the request, without the user.
	Asked auth.Attributes
	// Body is the length of the request's body in bytes, -1 if it is not known.
	Body int64
	// Credentials have authenticated the user, from the client's Address: http.Request.RemoteAddr.
	Credentials auth.Credentials
	Address     string
}

// A UseKind is a kind of requests.
type UseKind int

// The kinds of requests: the first two take seats, and Streams last as long as the client likes.
const (
	Reads UseKind = iota
	Writes
	Streams
)

// useKind returns the kind of a request.
func (s *Server) useKind(a auth.Attributes) UseKind {
	switch {
	case s.longRunning(a):
		return Streams
	case a.Verb == "get", a.Verb == "list":
		return Reads
	}
	return Writes
}

// limit authenticates a request and asks the server's Limiters about it. The caller calls leave.
func (s *Server) limit(w *answer, r *http.Request) (limited *http.Request, leave func(), err error) {
	leave = func() {}
	if len(s.Limiters) == 0 {
		return r, leave, nil
	}
	if err := s.authenticate(w, r); err != nil {
		return r, leave, err
	}
	asked := attributesOf(r)
	use := Use{
		Kind: s.useKind(asked), Asked: asked, Body: r.ContentLength, Credentials: auth.CredentialsOf(r),
		Address: r.RemoteAddr,
	}
	w.sent = new(int64)
	sent, ctx := w.sent, r.Context()
	for _, l := range s.Limiters {
		inner, end, err := l.Enter(ctx, w.user, use)
		if err != nil {
			return r, leave, err
		}
		before := leave
		ctx, leave = inner, func() { end(*sent); before() }
	}
	if ctx != r.Context() {
		r = r.WithContext(ctx)
	}
	return r, leave, nil
}
