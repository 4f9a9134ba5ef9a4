// Package scenes is the menu of the scenes, which opens in the place of stage and dock, and what plays them. A scene
// plays in a cluster in memory, which is made for it: the tab's own one, a room or the devserver's is untouched, and is
// there again when the scene is left. Their format is in web/lesson/format, the scenes themselves in web/scenes.
//
// Invariants:
//   - The sentence of a step is shown when the step's check has found what it says.
//   - When somebody else has written meanwhile, or pulled a lever, the next step is not taken: first the scene is set
//     up again, to where it was.
package scenes

import (
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

//go:generate go tool templ generate -path .

// FileName is that of the site's file with the cards of the scenes and their sources.
const FileName = "course/scenes.html"

// ids returns the ids of scenes.
func ids(all []*format.Scene) (out []string) {
	for _, s := range all {
		out = append(out, s.ID)
	}
	return out
}

// withPrograms returns the scenes in whose clusters the programs of the control plane run.
func withPrograms(all []*format.Scene) (out []*format.Scene) {
	for _, s := range all {
		if s.Programs {
			out = append(out, s)
		}
	}
	return out
}

// source returns the element that holds the text of a scene.
func source(s *format.Scene) string {
	return `<script type="text/markdown" data-source="` + s.ID + `">` +
		strings.ReplaceAll(s.Source, "</script", "<\\/script") + `</script>`
}
