package registry

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/tabernetes/tabernetes/core/status"
)

// tokenVersion is the only version of continue tokens there is.
const tokenVersion = "meta.k8s.io/v1"

// continueToken is the content of a list's metadata.continue. To clients it is opaque; servers must
// validate it.
type continueToken struct {
	Version  string `json:"v"`
	Revision int64  `json:"rv"`
	Start    string `json:"start"`
}

// newToken returns the token for a page that starts at a key of the collection. rev -1 asks for the
// most recent state.
func newToken(start string, rev int64) string {
	b, err := json.Marshal(continueToken{tokenVersion, rev, start})
	if err != nil {
		panic(err) // a string and a number
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// parseToken returns the first key of the page, relative to the collection, and
// the revision to read at.
func parseToken(text string) (start string, rev int64, err error) {
	bad := func(format string, args ...any) (string, int64, error) {
		return "", 0, status.NewBadRequest("invalid continue token: continue key is not valid: " +
			fmt.Sprintf(format, args...))
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return bad("%v", err)
	}
	var t continueToken
	if err := json.Unmarshal(raw, &t); err != nil {
		return bad("%s", strings.Replace(err.Error(), "registry.", "storage.", 1)) // the name of the type there
	}
	switch {
	case t.Version != tokenVersion:
		return bad("server does not recognize this encoded version %s", t.Version)
	case t.Revision == 0:
		return bad("incorrect encoded start resourceVersion (version %s)", tokenVersion)
	case t.Start == "":
		return bad("encoded start key empty (version %s)", tokenVersion)
	}
	key := "/" + strings.TrimPrefix(t.Start, "/")
	if path.Clean(key) != key {
		return bad("%s", t.Start)
	}
	return key[1:], t.Revision, nil
}
