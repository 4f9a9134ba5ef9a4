package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

// Credentials are what authenticates the user of a request: one of them, or nothing.
type Credentials struct {
	// Host is what the host has found out by itself, as by a certificate. It counts before the others.
	Host *Verdict

	// Authorization is the header of that name.
	Authorization string
	// Hash is that of a bearer token, by HashOf. A host has it of one who has shown the token before:
	// nothing in a request sets it.
	Hash string
}

type hashKey struct{}

// WithTokenHash returns a context for a request of one who has shown the token of a hash before. It is
// for hosts that keep connections but no tokens; the request's headers do not count then.
func WithTokenHash(ctx context.Context, hash string) context.Context {
	return context.WithValue(ctx, hashKey{}, hash)
}

// CredentialsOf returns the credentials of a request.
func CredentialsOf(r *http.Request) Credentials {
	if v, given := r.Context().Value(verdictKey{}).(*Verdict); given {
		return Credentials{Host: v}
	}
	if hash, given := r.Context().Value(hashKey{}).(string); given {
		return Credentials{Hash: hash}
	}
	var authorization string
	if values := r.Header["Authorization"]; len(values) > 0 {
		authorization = values[0]
	}
	return Credentials{Authorization: authorization}
}

// TokenHash returns the hash of the bearer token, or "".
func (c Credentials) TokenHash() string {
	if c.Hash != "" {
		return c.Hash
	}
	token, _ := bearerToken(c.Authorization)
	if token == "" {
		return ""
	}
	return HashOf(token)
}

// HashOf returns the SHA-256 hash of a token, in hexadecimal digits.
func HashOf(token string) string {
	hash := sha256.Sum256([]byte(token))
	return hex.EncodeToString(hash[:])
}

// bearerToken returns the token of an Authorization header, or "". spaced reports whether
// that is because there is a space too many before it.
func bearerToken(header string) (token string, spaced bool) {
	scheme, rest, found := strings.Cut(strings.TrimSpace(header), " ")
	if !found || !strings.EqualFold(scheme, "bearer") {
		return "", false
	}
	token, _, more := strings.Cut(rest, " ")
	return token, token == "" && more
}

// A HashVerifier is a TokenVerifier that knows the hashes of its tokens.
type HashVerifier interface {
	// VerifyHash returns the user of the token with a hash, or nil.
	VerifyHash(hash string) *User
}

// VerifyHash returns the answer of the first verifier that knows the hash.
func (v TokenVerifiers) VerifyHash(hash string) *User {
	for _, one := range v {
		if known, ok := one.(HashVerifier); ok {
			if u := known.VerifyHash(hash); u != nil {
				return u
			}
		}
	}
	return nil
}

// byHash returns the user of a token's hash.
func (a *Authenticator) byHash(hash string) (*User, error) {
	for token, u := range a.Tokens {
		if HashOf(token) == hash {
			return u.authenticated(), nil
		}
	}
	if known, ok := a.Verifier.(HashVerifier); ok {
		if u := known.VerifyHash(hash); u != nil {
			return u.authenticated(), nil
		}
	}
	return nil, errInvalidToken
}
