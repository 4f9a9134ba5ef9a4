package scenes

import (
	"slices"
	"strings"
)

// linked returns the scene that a fragment of the page's address names, as in #scene=gone, and whether it is to be
// played in the presenter, as in #scene=gone&present; empty if the fragment is about no scene. known reports whether
// the scene is one of ids.
func linked(hash string, ids []string) (id string, known, large bool) {
	rest, ok := strings.CutPrefix(hash, "#scene=")
	if !ok {
		return "", false, false
	}
	id, more, _ := strings.Cut(rest, "&")
	more, _, _ = strings.Cut(more, "&")
	return id, slices.Contains(ids, id), more == "present"
}
