// Package lessons embeds the sources of the lessons, for programs that render and play them, and
// counts what they cover (Coverage, Figures). All lessons are in one list, in the order of their
// numbers.
package lessons

import (
	"embed"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// Files are the lessons as they are written.
//
//go:embed [0-9]*.md
var Files embed.FS

// All parses the lessons, in order. Their prose is not rendered: see
// web/lesson/markdown.
func All() (out []*format.Lesson, err error) {
	err = format.Load(Files, func(l *format.Lesson, _ string) error {
		out = append(out, l)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
