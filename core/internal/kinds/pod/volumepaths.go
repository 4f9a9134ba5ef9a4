package pod

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// A volumePath is where a volume has a file, and in a projected volume what it comes from.
type volumePath struct{ path, source string }

func (p volumePath) String() string {
	if p.source == "" {
		return fmt.Sprintf("%q", p.path)
	}
	return fmt.Sprintf("%q (%s)", p.path, p.source)
}

// fileSources are the sources of a volume's files that have items, and the field of a volume that has their name.
var fileSources = []struct{ key, kind, name string }{
	{"configMap", "ConfigMap", "name"}, {"secret", "Secret", "secretName"}, {"downwardAPI", "DownwardAPI", ""},
}

// named returns the kind of a source, and its name, which is in a field.
func named(kind string, source map[string]any, in string) string {
	if in == "" {
		return kind
	}
	return fmt.Sprintf("%s %q", kind, tree.Text(source, in))
}

// volumePaths warns about files of a volume that are in each other's way: of two with the same path, the later one is
// there, and a file cannot be a directory as well.
func (w templateWarner) volumePaths(volume map[string]any) {
	name := tree.Text(volume, "name")
	for _, kind := range fileSources {
		if source := tree.Object(volume, kind.key); source != nil {
			w.overlaps(name, named(kind.kind, source, kind.name), nil, itemPaths(source, ""))
		}
	}
	var all []volumePath
	for _, source := range tree.Objects(tree.Object(volume, "projected"), "sources") {
		paths, is := projectedPaths(source)
		if !is {
			w.Context.Warn(fmt.Sprintf("volume %q (Projected) has no sources provided", name))
		}
		all = w.overlaps(name, "Projected", all, paths)
	}
}

// maxCompared is with how many paths of a volume, or uses of a port, another one is compared. README.md says so.
const maxCompared = 128

// overlaps warns about paths that are in the way of those before them, and returns all that are compared, each once.
func (w templateWarner) overlaps(volume, kind string, before, paths []volumePath) []volumePath {
	for _, p := range paths {
		p.path = strings.TrimRight(p.path, "/")
		if p.path == "" || w.Context.Enough() {
			continue
		}
		for _, other := range before {
			if within(p.path, other.path) || within(other.path, p.path) {
				w.Context.Warn(fmt.Sprintf("volume %q (%s): overlapping paths: %s with %s", volume, kind, p, other))
			}
		}
		if len(before) < maxCompared && !slices.Contains(before, p) {
			before = append(before, p)
		}
	}
	return before
}

// within reports whether a path is another one, or a directory there.
func within(path, dir string) bool {
	return strings.HasPrefix(path, dir) && (len(path) == len(dir) || path[len(dir)] == '/')
}

// itemPaths returns the paths of the items of a source.
func itemPaths(source map[string]any, name string) (paths []volumePath) {
	for _, item := range tree.Objects(source, "items") {
		paths = append(paths, volumePath{tree.Text(item, "path"), name})
	}
	return paths
}

// projectedPaths returns the paths of a source of a projected volume, and whether it is one: others are behind feature
// gates, and were removed.
func projectedPaths(source map[string]any) (paths []volumePath, is bool) {
	for _, kind := range fileSources {
		if from := tree.Object(source, kind.key); from != nil {
			if is = true; from["items"] != nil {
				return itemPaths(from, named(kind.kind, from, strings.Replace(kind.name, "secretName", "name", 1))), true
			}
		}
	}
	if from := tree.Object(source, "serviceAccountToken"); from != nil {
		return []volumePath{{tree.Text(from, "path"), "ServiceAccountToken"}}, true
	}
	return nil, is
}
