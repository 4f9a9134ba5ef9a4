package openapi

import (
	"maps"

	"github.com/tabernetes/tabernetes/core/schema"
)

// Whole returns the schema of a resource's objects as its document has it, with what it refers to in place of the
// references, without what stands beside those. A type within itself is an object without fields there. The tree
// shares parts with the definition of a custom resource: it must not be changed.
//
// What int-or-string is by its format also has the extension that definitions use.
func Whole(row *schema.Resource) map[string]any {
	c := &components{schemas: tree{}}
	return c.whole(c.object(row), map[string]bool{})
}

// whole returns a schema without references. within are those that lead to it.
func (c *components) whole(s tree, within map[string]bool) tree {
	if name := referenceOf(s); name != "" {
		if within[name] {
			return tree{"type": "object"}
		}
		within[name] = true
		defer delete(within, name)
		s, _ = c.schemas[name[len(reference):]].(tree)
	}
	s = maps.Clone(s)
	if properties, _ := s["properties"].(tree); properties != nil {
		all := make(tree, len(properties))
		for name, p := range properties {
			p, _ := p.(tree)
			all[name] = c.whole(p, within)
		}
		s["properties"] = all
	}
	for _, key := range []string{"additionalProperties", "items"} {
		if inner, ok := s[key].(tree); ok {
			s[key] = c.whole(inner, within)
		}
	}
	if s["format"] == "int-or-string" {
		s["x-kubernetes-int-or-string"] = true
	}
	return s
}

// referenceOf returns the reference that a schema is, if it is one; with allOf it has others beside it.
func referenceOf(s tree) string {
	if name, _ := s["$ref"].(string); name != "" {
		return name
	}
	all, _ := s["allOf"].([]any)
	for _, one := range all {
		one, _ := one.(tree)
		if name := referenceOf(one); name != "" {
			return name
		}
	}
	return ""
}
