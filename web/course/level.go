package course

import (
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// LevelsLink is the fragment of the link to the page of levels.
const LevelsLink = "#levels"

// AfterLevel is what comes after a level.
var AfterLevel = view.NextLink{Href: LevelsLink, Title: "Your own levels", Label: "Own levels"}

// ParseLevel reads a level whose texts are rendered: as text, of which what is between backquotes is code. No other
// mark, link or HTML of them means anything, so that nothing of a level can run. Errors are of type *format.Error.
func ParseLevel(src string) (*format.Lesson, error) {
	l, err := format.ParseLevel(src)
	if err != nil {
		return nil, err
	}
	for _, t := range l.Texts() {
		var b strings.Builder
		for paragraph := range strings.SplitSeq(strings.TrimSpace(t.Markdown), "\n\n") {
			b.WriteString("<p>" + textHTML(paragraph) + "</p>")
		}
		*t.HTML = b.String()
	}
	return l, nil
}
