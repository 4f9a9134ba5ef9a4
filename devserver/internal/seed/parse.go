package seed

import (
	"fmt"
	"io/fs"
)

// Parse reads the manifests in a text; origin is what errors call it.
func Parse(origin string, text []byte) ([]*Manifest, error) { return parseManifests(origin, text) }

// ReadFS reads the manifests of a file system's files that fit one of some patterns, those of fs.Glob. Each pattern
// needs a file.
func ReadFS(fsys fs.FS, patterns []string) ([]*Manifest, error) {
	var all []*Manifest
	for _, pattern := range patterns {
		names, err := fs.Glob(fsys, pattern)
		if err != nil || len(names) == 0 {
			return nil, fmt.Errorf("no files are %s, %v", pattern, err)
		}
		for _, name := range names {
			if !IsManifest(name) {
				continue
			}
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				return nil, err
			}
			manifests, err := Parse(name, text)
			if err != nil {
				return nil, err
			}
			all = append(all, manifests...)
		}
	}
	return all, nil
}
