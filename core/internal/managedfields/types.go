package managedfields

import (
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/schema"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// parsers caches types, by *schema.Type. Types never change.
var parsers sync.Map

// Parser returns a built-in type in the form for structured-merge-diff. Objects without a type are
// merged by their values: maps field by field, lists as a whole.
func Parser(t *schema.Type) typed.ParseableType {
	if t == nil {
		return typed.DeducedParseableType
	}
	if p, ok := parsers.Load(t); ok {
		return p.(typed.ParseableType)
	}
	c := newConverter()
	p := typed.ParseableType{TypeRef: c.ref(t, "", ""), Schema: c.out}
	made, _ := parsers.LoadOrStore(t, p)
	return made.(typed.ParseableType)
}

// converter makes the schema of a type and all that it reaches. Structs are named, since they may
// be recursive; all other types are inlined.
type converter struct {
	names map[*schema.Type]string
	loose map[string]bool // the names above that the schema has
	raw   smd.TypeRef     // what schema.Raw is
	out   *smd.Schema
}

func newConverter() *converter {
	c := &converter{names: map[*schema.Type]string{}, loose: map[string]bool{}, out: &smd.Schema{}}
	c.raw = c.untyped(free)
	return c
}

// The names of the types of unknown values. A free value is owned as a whole; so is a deduced one
// except for maps, whose entries have their own owners.
const (
	free    = "__untyped_atomic_"
	deduced = "__untyped_deduced_"
)

func scalar(s smd.Scalar) smd.TypeRef { return smd.TypeRef{Inlined: smd.Atom{Scalar: &s}} }

func named(name string) smd.TypeRef { return smd.TypeRef{NamedType: &name} }

// ref returns a reference to a type; mapType and listType of the referring field determine the
// granularity of ownership.
func (c *converter) ref(t *schema.Type, mapType, listType string, keys ...string) smd.TypeRef {
	switch t.Kind {
	case schema.Struct:
		ref := named(c.structure(t))
		if mapType != "" {
			r := relationship(mapType)
			ref.ElementRelationship = &r
		}
		return ref
	case schema.Map:
		m := &smd.Map{ElementType: c.ref(t.Elem, "", "")}
		if mapType != "" {
			m.ElementRelationship = relationship(mapType)
		}
		return smd.TypeRef{Inlined: smd.Atom{Map: m}}
	case schema.List:
		l := &smd.List{ElementType: c.ref(t.Elem, "", ""), ElementRelationship: smd.Atomic}
		if listType == "map" || listType == "set" {
			l.ElementRelationship, l.Keys = smd.Associative, keys
		}
		return smd.TypeRef{Inlined: smd.Atom{List: l}}
	case schema.String, schema.Bytes, schema.Duration:
		return scalar(smd.String)
	case schema.Bool:
		return scalar(smd.Boolean)
	case schema.Int32, schema.Int64, schema.Float64:
		return scalar(smd.Numeric)
	case schema.Raw:
		return c.raw
	case schema.Union, schema.IntOrString: // a union, of which the documents do not say which
		return c.untyped(deduced)
	}
	return scalar(smd.Untyped) // Time, MicroTime, Quantity
}

func relationship(mapType string) smd.ElementRelationship {
	if mapType == "atomic" {
		return smd.Atomic
	}
	return smd.Separable
}

func (c *converter) structure(t *schema.Type) string {
	if name, ok := c.names[t]; ok {
		return name
	}
	name := t.Name
	if name == "" {
		name = t.GoName
	}
	c.names[t] = name
	defer func(raw smd.TypeRef) { c.raw = raw }(c.raw)
	switch {
	case strings.HasSuffix(name, ".JSONSchemaProps"): // any JSON; elsewhere it is an object with its own type
		c.raw = c.untyped(deduced)
	case strings.HasSuffix(name, ".ManagedFieldsEntry"): // of a template's metadata
		c.raw = smd.TypeRef{Inlined: smd.Atom{Map: &smd.Map{ElementType: c.untyped(deduced)}}}
	}
	m := &smd.Map{Fields: make([]smd.StructField, len(t.Fields))}
	if t.MapType != "" {
		m.ElementRelationship = relationship(t.MapType)
	}
	if len(t.Fields) == 0 {
		m.ElementType = c.untyped(deduced)
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		listType, keys := listType(f)
		m.Fields[i] = smd.StructField{Name: f.Name, Type: c.ref(f.Type, f.MapType, listType, keys...), Default: defaultOf(f)}
	}
	c.out.Types = append(c.out.Types, smd.TypeDef{Name: name, Atom: smd.Atom{Map: m}})
	return name
}

// defaultOf returns the value of a key of a list's items if it is omitted.
func defaultOf(f *schema.Field) any {
	if f.Default != nil || f.Pointer || f.OmitEmpty {
		return f.Default
	}
	switch f.Type.Kind {
	case schema.String:
		return ""
	case schema.Int32, schema.Int64:
		return int64(0)
	case schema.Bool:
		return false
	}
	return nil
}

// listType returns the list type of a field. The oldest types declare it only by their patch
// strategy.
func listType(f *schema.Field) (listType string, keys []string) {
	if f.ListType != "" || !strings.HasPrefix(f.PatchStrategy, "merge") {
		return f.ListType, f.ListMapKeys
	}
	if f.PatchMergeKey != "" {
		return "map", []string{f.PatchMergeKey}
	}
	return "set", nil
}

// untyped returns free or deduced.
func (c *converter) untyped(name string) smd.TypeRef {
	if !c.loose[name] {
		c.loose[name] = true
		any := smd.Untyped
		m := &smd.Map{ElementType: named(name), ElementRelationship: smd.Atomic}
		if name == deduced {
			m.ElementRelationship = smd.Separable
		}
		c.out.Types = append(c.out.Types, smd.TypeDef{Name: name, Atom: smd.Atom{
			Scalar: &any, List: &smd.List{ElementType: c.untyped(free), ElementRelationship: smd.Atomic}, Map: m,
		}})
	}
	return named(name)
}
