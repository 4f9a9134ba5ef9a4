package core

import "github.com/tabernetes/tabernetes/core/registry"

// The words of spec.compatibility and of the compatibility of an API server.
const (
	honor  = "Honor"
	ignore = "Ignore"
)

// A parameter is one that API servers can be told to ignore.
type parameter struct {
	name string
	in   func(*registry.Compatibility) *bool
}

var parametersIgnored = []parameter{
	{"resourceVersionMatch", func(c *registry.Compatibility) *bool { return &c.IgnoreMatch }},
	{"limit", func(c *registry.Compatibility) *bool { return &c.IgnoreLimit }},
	{"bookmarks", func(c *registry.Compatibility) *bool { return &c.IgnoreBookmarks }},
	{"sendInitialEvents", func(c *registry.Compatibility) *bool { return &c.IgnoreInitialEvents }},
}

// readCompatibility reads which parameters are ignored. What is not said stays as it is.
func readCompatibility(s section, c *registry.Compatibility) {
	for _, p := range parametersIgnored {
		s.word(p.name, func(word string) { *p.in(c) = word == ignore }, honor, ignore)
	}
}

// compatibilityOf is spec.compatibility as it is shown.
func compatibilityOf(c registry.Compatibility) map[string]any {
	tree := map[string]any{}
	for _, p := range parametersIgnored {
		tree[p.name] = honor
		if *p.in(&c) {
			tree[p.name] = ignore
		}
	}
	return tree
}
