package auth

import (
	"errors"
	"slices"
	"strings"
)

// A TokenVerifier knows the tokens of some kind, such as those of service
// accounts.
type TokenVerifier interface {
	// Verify returns whose a token is and what audiences it is meant for; a nil
	// user if the token is none of the kind. The error says why a token of the kind
	// is no good (any more).
	Verify(token string) (u *User, audiences []string, err error)
}

// Audience is who the tokens of a token list are meant for: this API server.
const Audience = "https://kubernetes.default.svc.cluster.local"

// An Authenticator finds out who makes a request. It does not change.
type Authenticator struct {
	// Tokens are the users by their bearer tokens.
	Tokens map[string]*User
	// Verifier knows more tokens; nil: there are none.
	Verifier TokenVerifier
	// Nobody is who makes a request without credentials; nil: there is no such
	// request.
	Nobody *User
	// Lenient takes a token that nobody knows for none.
	Lenient bool
}

var (
	// errUnauthorized is the failure of a request that nobody may make.
	errUnauthorized = errors.New("Unauthorized")
	errInvalidToken = errors.New("invalid bearer token")
)

const spaceBeforeToken = "the provided Authorization header contains extra space before the bearer token, and is " +
	"ignored"

// Authenticate returns who makes a request with an Authorization header. An
// error is a 401 for the request. Every user but the anonymous one is in
// system:authenticated.
func (a *Authenticator) Authenticate(authorization string, warn func(string)) (*User, error) {
	u, _, err := a.bearer(authorization, nil, warn)
	switch {
	case u != nil:
		return u, nil
	case err != nil && !a.Lenient:
		return nil, err
	case a.Nobody == nil:
		return nil, errUnauthorized
	}
	return a.Nobody, nil
}

// Review answers a TokenReview: whose a token is, and which of the asked
// audiences it is meant for; those of this server if none are asked.
func (a *Authenticator) Review(token string, audiences []string) (*User, []string, error) {
	if len(audiences) == 0 {
		audiences = []string{Audience}
	}
	u, meant, err := a.bearer("Bearer "+token, audiences, func(string) {})
	if u == nil && err == nil {
		return nil, nil, errInvalidToken
	}
	return u, meant, err
}

// bearer finds the user of a bearer token. A header that is not one counts as
// none: no user and no error. wanted are the audiences of which the token must be
// meant for one; nil does not ask.
func (a *Authenticator) bearer(header string, wanted []string, warn func(string)) (u *User, meant []string, err error) {
	parts := strings.SplitN(strings.TrimSpace(header), " ", 3)
	if len(parts) < 2 || !strings.EqualFold(parts[0], "bearer") {
		return nil, nil, nil
	}
	token := parts[1]
	if token == "" {
		if len(parts) == 3 {
			warn(spaceBeforeToken)
		}
		return nil, nil, nil
	}
	u, meant = a.Tokens[token], []string{Audience}
	if u == nil && a.Verifier != nil {
		u, meant, err = a.Verifier.Verify(token)
	}
	if err != nil {
		return nil, nil, err
	}
	if u != nil && wanted == nil && !slices.Contains(meant, Audience) {
		u = nil // it is for somebody else
	}
	if wanted != nil {
		meant = slices.DeleteFunc(slices.Clone(wanted),
			func(audience string) bool { return !slices.Contains(meant, audience) })
		if len(meant) == 0 {
			u = nil
		}
	}
	if u == nil {
		return nil, nil, errInvalidToken
	}
	return u.authenticated(), meant, nil
}

// authenticated returns the user in the group of those who have an identity.
func (u *User) authenticated() *User {
	if u.Name == anonymous || slices.Contains(u.Groups, Authenticated) || slices.Contains(u.Groups, Unauthenticated) {
		return u
	}
	with := *u
	with.Groups = append(slices.Clone(u.Groups), Authenticated)
	return &with
}
