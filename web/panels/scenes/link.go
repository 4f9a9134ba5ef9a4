package scenes

import (
	"slices"
	"strings"
)

// linked returns the scene that a fragment of the page's address names, as in #scene=gone, and whether it is to be
// played in the presenter, as in #scene=gone&present; empty if it names none of ids.
func linked(hash string, ids []string) (id string, large bool) {
	rest, ok := strings.CutPrefix(hash, "#scene=")
	if !ok {
		return "", false
	}
	id, more, _ := strings.Cut(rest, "&")
	if !slices.Contains(ids, id) {
		return "", false
	}
	return id, more == "present"
}
