package managedfields

import (
	"maps"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/schema"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// parserKey is the key for a custom resource's parser in its row.
type parserKey struct{}

// parserOf returns the structured-merge-diff type of a resource's objects. For custom resources, it
// follows the schema of their definition.
func parserOf(r *schema.Resource) typed.ParseableType {
	if r.Custom == nil {
		return Parser(r.Type())
	}
	if p, ok := r.Custom.Derived.Load(parserKey{}); ok {
		return p.(typed.ParseableType)
	}
	made, _ := r.Custom.Derived.LoadOrStore(parserKey{}, customParser(r.Custom.Schema))
	return made.(typed.ParseableType)
}

func customParser(s *structural.Schema) typed.ParseableType {
	c := newConverter()
	c.untyped(deduced)
	root := *s
	root.Type, root.Embedded = "object", true
	return typed.ParseableType{TypeRef: smd.TypeRef{Inlined: c.custom(&root, false)}, Schema: c.out}
}

// custom returns the type of a part of a custom resource. unknown is true if unknown fields are
// preserved above it: then they are preserved in it, too.
func (c *converter) custom(s *structural.Schema, unknown bool) smd.Atom {
	unknown = unknown || s.PreserveUnknown
	switch s.Type {
	case "object":
		return smd.Atom{Map: c.customMap(s, unknown)}
	case "array":
		return smd.Atom{List: c.customList(s, unknown)}
	case "integer", "number":
		return scalar(smd.Numeric).Inlined
	case "boolean":
		return scalar(smd.Boolean).Inlined
	case "string":
		if s.Format == "" || s.Format == "byte" {
			return scalar(smd.String).Inlined
		}
		return scalar(smd.Untyped).Inlined
	}
	atom := scalar(smd.Untyped).Inlined
	atom.List, atom.Map = c.customList(s, unknown), c.customMap(s, unknown)
	return atom
}

func (c *converter) customMap(s *structural.Schema, unknown bool) *smd.Map {
	m := &smd.Map{}
	if s.MapType != "" {
		m.ElementRelationship = relationship(s.MapType)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if s.Embedded && (name == "metadata" || name == "apiVersion" || name == "kind") {
			continue
		}
		p := s.Properties[name]
		m.Fields = append(m.Fields, smd.StructField{Name: name, Type: smd.TypeRef{Inlined: c.custom(p, unknown)},
			Default: p.Default})
	}
	if s.Embedded {
		metadata := schema.TypeOf("", "v1", "ConfigMap").Field("metadata").Type
		m.Fields = append(m.Fields, smd.StructField{Name: "apiVersion", Type: scalar(smd.String)},
			smd.StructField{Name: "kind", Type: scalar(smd.String)},
			smd.StructField{Name: "metadata", Type: c.ref(metadata, "", "")})
	}
	switch {
	case s.Additional != nil:
		m.ElementType = smd.TypeRef{Inlined: c.custom(s.Additional, unknown)}
	case s.AllowsAdditional, !s.Closed && (unknown || len(m.Fields) == 0):
		m.ElementType = named(deduced)
	}
	return m
}

func (c *converter) customList(s *structural.Schema, unknown bool) *smd.List {
	l := &smd.List{ElementType: named(free), ElementRelationship: smd.Atomic}
	if s.Items != nil {
		l.ElementType = smd.TypeRef{Inlined: c.custom(s.Items, unknown)}
	}
	switch s.ListType {
	case "map":
		l.ElementRelationship, l.Keys = smd.Associative, s.ListMapKeys
	case "set":
		l.ElementRelationship = smd.Associative
	}
	return l
}
