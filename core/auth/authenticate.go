package auth

import (
	"errors"
	"slices"
)

// A TokenVerifier verifies the tokens of some kind, such as those of service accounts.
type TokenVerifier interface {
	// Verify returns the user of a token and the audiences that it is valid for; a nil user if the
	// token is not of this kind. The error says why a token of this kind is not valid.
	Verify(token string) (u *User, audiences []string, err error)
}

// TokenVerifiers asks one verifier after the other.
type TokenVerifiers []TokenVerifier

// Verify returns the answer of the first verifier that knows the token.
func (v TokenVerifiers) Verify(token string) (u *User, audiences []string, err error) {
	for _, one := range v {
		if u, audiences, err = one.Verify(token); u != nil || err != nil {
			break
		}
	}
	return u, audiences, err
}

// Audience is the default audience of tokens: this API server.
const Audience = "https://kubernetes.default.svc.cluster.local"

// An Authenticator determines the user of a request. It does not change.
type Authenticator struct {
	// Tokens are the users by their bearer tokens.
	Tokens map[string]*User
	// Verifier verifies other tokens; it may be nil.
	Verifier TokenVerifier
	// Audiences are those of the server, of which a token needs one. Nil: Audience alone.
	Audiences []string
	// WithoutCredentials is the user of requests without credentials; nil refuses them.
	WithoutCredentials *User
	// Lenient treats an unknown token as no token.
	Lenient bool
}

var (
	// errUnauthorized is the 401 for a request without valid credentials.
	errUnauthorized = errors.New("Unauthorized")
	errInvalidToken = errors.New("invalid bearer token")
)

const spaceBeforeToken = "the provided Authorization header contains extra space before the bearer token, and is " +
	"ignored"

// Authenticate returns the user of a request with some credentials. An error is a 401 for the
// request. Every user but the anonymous one is in system:authenticated.
func (a *Authenticator) Authenticate(c Credentials, warn func(string)) (u *User, err error) {
	if c.Host != nil {
		if c.Host.User == nil {
			return nil, errUnauthorized
		}
		return c.Host.User.authenticated(), nil
	}
	if c.Hash != "" {
		u, err = a.byHash(c.Hash)
	} else {
		u, _, err = a.bearer(c.Authorization, nil, warn)
	}
	switch {
	case u != nil:
		return u, nil
	case err != nil && !a.Lenient:
		return nil, err
	case a.WithoutCredentials == nil:
		return nil, errUnauthorized
	}
	return a.WithoutCredentials, nil
}

// Review answers a TokenReview: the user of a token, and which of the requested audiences it is
// valid for; this server's if none are requested.
func (a *Authenticator) Review(token string, audiences []string) (*User, []string, error) {
	if len(audiences) == 0 {
		audiences = a.audiences()
	}
	u, meant, err := a.bearer("Bearer "+token, audiences, func(string) {})
	if none, _ := bearerToken("Bearer " + token); none != "" && u == nil && err == nil {
		return nil, nil, errInvalidToken
	}
	return u, meant, err
}

// bearer returns the user of a bearer token. A header without a bearer token counts as none: no
// user and no error. The token must be valid for one of the wanted audiences; nil accepts any.
func (a *Authenticator) bearer(header string, wanted []string, warn func(string)) (u *User, meant []string, err error) {
	token, spaced := bearerToken(header)
	if spaced {
		warn(spaceBeforeToken)
	}
	if token == "" {
		return nil, nil, nil
	}
	u, meant = a.Tokens[token], a.audiences()
	if u == nil && a.Verifier != nil {
		u, meant, err = a.Verifier.Verify(token)
	}
	if err != nil {
		return nil, nil, err
	}
	if u != nil && wanted == nil && !slices.ContainsFunc(a.audiences(), func(own string) bool {
		return slices.Contains(meant, own)
	}) {
		u = nil // it is for another audience
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

var ownAudience = []string{Audience}

// audiences are those of the server.
func (a *Authenticator) audiences() []string {
	if a.Audiences == nil {
		return ownAudience
	}
	return a.Audiences
}

// authenticated returns the user with the group system:authenticated.
func (u *User) authenticated() *User {
	if u.Name == anonymous || slices.Contains(u.Groups, Authenticated) || slices.Contains(u.Groups, Unauthenticated) {
		return u
	}
	with := *u
	with.Groups = append(slices.Clone(u.Groups), Authenticated)
	return &with
}
