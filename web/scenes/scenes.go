// Package scenes embeds the sources of the scenes, for programs that render and play them. They are in one list, in the
// order of their numbers.
package scenes

import (
	"embed"
	"io/fs"

	"github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/scene"
)

// Files are the scenes as they are written.
//
//go:embed [0-9]*.md
var Files embed.FS

// All parses the scenes among files, in order.
func All(files fs.FS) (out []*scene.Scene, err error) {
	names, err := lesson.Files(files)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		src, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		s, err := scene.Parse(name, string(src))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}
