package room

import (
	"encoding/base64"
	"io"

	"github.com/tabernetes/tabernetes/core/auth"
)

// tokenBytes is how long a token is before it is written as text: 128 bits.
const tokenBytes = 16

// newToken returns a new token: 22 characters that may stand in a URL.
func newToken(source io.Reader) (string, error) {
	var b [tokenBytes]byte
	if _, err := io.ReadFull(source, b[:]); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// newSuffix returns the end of a member's name: five characters as of a name that the server generates.
func newSuffix(source io.Reader) (string, error) {
	const characters = "bcdfghjklmnpqrstvwxz2456789"
	b := make([]byte, 5)
	if _, err := io.ReadFull(source, b); err != nil {
		return "", err
	}
	for i := range b {
		b[i] = characters[int(b[i])%len(characters)]
	}
	return string(b), nil
}

// nameOf returns the name of the RoomToken of a hash.
func nameOf(hash string) string { return hash[:20] }

// TokenObject returns the RoomToken of a token that is of a member, or that invites into a
// role: one of the two is empty.
func TokenObject(token, member, invites string) map[string]any {
	hash := auth.HashOf(token) // a token is random, so that no salt or slow hash is needed
	spec := map[string]any{"hash": hash}
	if member != "" {
		spec["member"] = member
	}
	if invites != "" {
		spec["invites"] = invites
	}
	return map[string]any{
		"apiVersion": apiVersion, "kind": RoomTokens.Kind, "metadata": map[string]any{"name": nameOf(hash)},
		"spec": spec,
	}
}

// MemberObject returns the Member of a name.
func MemberObject(name, displayName, role string) map[string]any {
	return map[string]any{
		"apiVersion": apiVersion, "kind": Members.Kind, "metadata": map[string]any{"name": name},
		"spec": map[string]any{"displayName": displayName, "role": role},
	}
}
