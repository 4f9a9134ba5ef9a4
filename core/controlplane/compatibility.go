package controlplane

import (
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/settings"
)

// The values of spec.compatibility and of the compatibility of an API server.
const (
	honor  = settings.Honor
	ignore = settings.Ignore
)

// A parameter is one that API servers ignore if a setting says so.
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

// compatibilitySetting is what all API servers ignore. The row of the servers applies it, since
// each may have its own.
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

// compatibility reads which parameters are ignored. Those that are not given stay as they are.
func (s section) compatibility(c *registry.Compatibility) {
	names := make([]string, 0, len(ignorable))
	for _, p := range ignorable {
		names = append(names, p.name)
		word := ""
		if s.word(p.name, &word, honor, ignore); word != "" {
			*p.in(c) = word == ignore
		}
	}
	s.only(names...)
}
