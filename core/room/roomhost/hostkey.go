package roomhost

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/tabernetes/tabernetes/core/status"
)

// maxAsked is how long the body of a request for a room may be, in bytes.
const maxAsked = 1 << 10

// NewHostKey draws the key of those who run the host: 128 random bits.
func NewHostKey(random io.Reader) (string, error) {
	var b [tokenBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// Reopens returns the id of the room of which somebody with the host's key wants a teacher's token: that is what a
// request that would open a room is about if it has a bearer token. "" is a request for a new room. The error is the
// answer to a wrong key; with an empty key every one is wrong.
func Reopens(r *http.Request, key string) (id string, err error) {
	if !HasToken(r.Header) {
		return "", nil
	}
	shown := strings.Fields(r.Header.Get("Authorization"))[1]
	a, b := sha256.Sum256([]byte(shown)), sha256.Sum256([]byte(key)) // of one length, so that the time tells nothing
	if key == "" || subtle.ConstantTimeCompare(a[:], b[:]) == 0 {
		return "", ErrUnauthorized
	}
	var asked struct{ ID string }
	if r.Body == nil {
		return "", errAsked
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, maxAsked)).Decode(&asked); err != nil {
		return "", errAsked
	}
	if !ValidID(asked.ID) {
		return "", ErrNone
	}
	return asked.ID, nil
}

var errAsked = status.NewBadRequest(`with the host's key, the body has to name a room: {"id": "0123456789"}`)

// Link returns the link by which a page at a URL is the member of a room who has a token.
func Link(url, id, token string) string {
	return strings.TrimSuffix(url, "/") + "/#room=" + id + "&token=" + token
}
