package tap

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

// A Token is the content of a continue token. Only a lab may look at it: clients must treat tokens as opaque, and their
// content changes between versions.
type Token struct {
	Version string // "meta.k8s.io/v1"
	Rev     int64  // the revision that the pages come from; -1: whatever is newest
	Start   string // the last key given, then \x00: the next page begins behind it
	JSON    string // the text inside, as it is
}

// ErrToken is the error of a text that is no token as API servers write it.
var ErrToken = errors.New("not a continue token that this lab can read")

// DecodeToken reads a continue token. Any text may be given; it never panics.
func DecodeToken(s string) (Token, error) {
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil {
		return Token{}, ErrToken
	}
	t := Token{JSON: string(raw)}
	c := scan.New(t.JSON)
	seen := false
	err = c.Object(func(key string) (err error) {
		switch key {
		case "v":
			t.Version, err = c.String()
			seen = true
		case "rv":
			t.Rev, err = c.Int()
		case "start":
			t.Start, err = c.String()
		default:
			err = c.Skip()
		}
		return err
	})
	if err != nil || !seen || !c.End() {
		return Token{}, ErrToken
	}
	return t, nil
}

// Inconsistent reports whether the token continues in whatever is newest, which
// is what an expired token's 410 answer offers.
func (t Token) Inconsistent() bool { return t.Rev < 0 }
