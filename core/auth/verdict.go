package auth

import "context"

// A Verdict is what the host of a cluster knows of the user of a request.
type Verdict struct {
	// User is who makes it. Nil: the credentials that were shown to the host are not valid.
	User *User
}

type verdictKey struct{}

// WithVerdict returns a context for a request whose credentials the host has checked. It is for hosts that see
// credentials which no header has, such as the certificates of TLS clients.
func WithVerdict(ctx context.Context, v Verdict) context.Context {
	return context.WithValue(ctx, verdictKey{}, &v)
}
