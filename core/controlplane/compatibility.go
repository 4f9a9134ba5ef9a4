package controlplane

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

var ignorable = []parameter{
	{"resourceVersionMatch", func(c *registry.Compatibility) *bool { return &c.IgnoreMatch }},
	{"limit", func(c *registry.Compatibility) *bool { return &c.IgnoreLimit }},
	{"bookmarks", func(c *registry.Compatibility) *bool { return &c.IgnoreBookmarks }},
	{"sendInitialEvents", func(c *registry.Compatibility) *bool { return &c.IgnoreInitialEvents }},
}

// compatibilitySetting is what all API servers ignore. It is put in force by the row of the
// servers, each of which may have its own.
var compatibilitySetting = setting{
	path:  "compatibility",
	parse: func(in section, name string, s *Settings) { in.child(name).compatibility(&s.Compatibility) },
	show: func(s *Settings) any {
		tree := map[string]any{}
		for _, p := range ignorable {
			tree[p.name] = honor
			if *p.in(&s.Compatibility) {
				tree[p.name] = ignore
			}
		}
		return tree
	},
}

// compatibility reads which parameters are ignored. What is not said stays as it is.
func (s section) compatibility(c *registry.Compatibility) {
	for _, p := range ignorable {
		word := ""
		if s.word(p.name, &word, honor, ignore); word != "" {
			*p.in(c) = word == ignore
		}
	}
}
