package openapi

import (
	"iter"
	"slices"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// tree is a JSON object under construction.
type tree = map[string]any

// Form is changed when the same types and release give different documents, so that clients do not
// use the ones in their caches.
const Form = "6"

// Path returns the path of the document of a group version, below /openapi/v3/.
func Path(group, version string) string {
	if group == "" {
		return "api/" + version
	}
	return "apis/" + group + "/" + version
}

// Document describes the resources of one group version.
func Document(group, version, release string, rows []*schema.Resource) map[string]any {
	c := &components{schemas: tree{}}
	paths := tree{}
	if !Custom(rows) {
		addRoot(paths, c, group, version)
	}
	c.resources(paths, rows)
	return c.document(release, paths)
}

// Parts returns the Document of a group version in parts, of which V3 and V2 make one: all built-in types together,
// then each custom resource by itself, since there may be any number of them. A part has what those before it do not
// have. It is made when it is asked for.
func Parts(group, version, release string, rows []*schema.Resource) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		builtin, custom := split(rows)
		c := &components{schemas: tree{}, before: map[string]bool{}}
		paths := tree{}
		if !Custom(rows) {
			addRoot(paths, c, group, version)
		}
		c.resources(paths, builtin)
		for yield(c.document(release, paths)) && len(custom) > 0 {
			for name := range c.schemas {
				c.before[name] = true
			}
			c.schemas, paths = tree{}, tree{}
			c.resources(paths, custom[:1])
			custom = custom[1:]
		}
	}
}

// Custom reports whether all resources of a group version are custom: the real server describes them elsewhere, with
// another title, and without the path that lists them.
func Custom(rows []*schema.Resource) bool {
	builtin, custom := split(rows)
	return len(builtin) == 0 && len(custom) > 0
}

// split returns the rows that are and that are not built in, both in their order.
func split(rows []*schema.Resource) (builtin, custom []*schema.Resource) {
	for _, row := range rows {
		if isCustom(row) {
			custom = append(custom, row)
		} else {
			builtin = append(builtin, row)
		}
	}
	return builtin, custom
}

// resources adds resources with their paths.
func (c *components) resources(paths tree, rows []*schema.Resource) {
	added := tree{}
	for _, row := range rows {
		c.resource(row)
		addPaths(added, c, row)
	}
	for path, item := range added {
		share(item.(tree))
		paths[path] = item
	}
}

// document returns the document of these paths and the types that they refer to.
func (c *components) document(release string, paths tree) tree {
	return tree{
		"openapi":    "3.0.0",
		"info":       infoOf(release),
		"paths":      paths,
		"components": tree{"schemas": c.schemas},
	}
}

func gvk(group, version, kind string) tree {
	return tree{"group": group, "kind": kind, "version": version}
}

// components collects the types that a document refers to.
type components struct {
	schemas tree
	// before are the names of those that the parts before have.
	before map[string]bool
}

// resource adds a resource's own type with its group-version-kind.
func (c *components) resource(row *schema.Resource) {
	if t := row.Type(); t != nil && t.Name != "" {
		c.kind(t, row.Group, row.Version, row.Kind)
	}
}

// kind adds a type with its own group-version-kind.
func (c *components) kind(t *schema.Type, group, version, kind string) {
	c.schemaOf(t)
	definition, _ := c.schemas[t.Name].(tree)
	if definition == nil { // which a part before has, maybe without this kind
		definition = tree{}
		c.schemas[t.Name] = definition
	}
	list, _ := definition[kindsKey].([]any)
	if is := gvk(group, version, kind); !slices.ContainsFunc(list, func(k any) bool { return sameKind(k.(tree), is) }) {
		definition[kindsKey] = append(list, is)
	}
}

// schemaOf returns the schema of a type, by reference if it has a name.
func (c *components) schemaOf(t *schema.Type) tree {
	if t == nil {
		return tree{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	}
	switch t.Kind {
	case schema.Struct:
		if t.Name == "" {
			return c.structOf(t)
		}
		return c.named(t.Name, func() tree { return c.structOf(t) })
	case schema.Map:
		return tree{"type": "object", "additionalProperties": c.value(t.Elem)}
	case schema.List:
		return tree{"type": "array", "items": c.value(t.Elem)}
	case schema.Time, schema.MicroTime, schema.Duration, schema.Quantity, schema.IntOrString, schema.Raw:
		return c.special(t.Kind)
	case schema.Union:
		return c.named(t.Name, func() tree { return tree{} })
	}
	s := tree{}
	for key, value := range scalars[t.Kind] {
		s[key] = value
	}
	if len(t.Enum) > 0 {
		s["enum"] = object.ListOf(slices.Sorted(slices.Values(t.Enum)))
	}
	return s
}

// value returns the schema of a value that is never null: if it is omitted, it has its zero value.
func (c *components) value(t *schema.Type) tree {
	s := c.schemaOf(t)
	zero := zeros[t.Kind]
	if t.Kind == schema.Struct {
		zero, s = tree{}, beside(s)
	}
	if zero != nil {
		s["default"] = zero
	}
	return s
}

// zeros are the zero values of scalars.
var zeros = map[schema.Kind]any{schema.String: "", schema.Bool: false, schema.Int32: 0, schema.Int64: 0,
	schema.Float64: 0}

// beside returns a schema that can have siblings, which a reference cannot.
func beside(s tree) tree {
	if s["$ref"] != nil {
		return tree{"allOf": []any{s}}
	}
	return s
}

var scalars = map[schema.Kind]tree{
	schema.String:  {"type": "string"},
	schema.Bool:    {"type": "boolean"},
	schema.Int32:   {"type": "integer", "format": "int32"},
	schema.Int64:   {"type": "integer", "format": "int64"},
	schema.Float64: {"type": "number", "format": "double"},
	schema.Bytes:   {"type": "string", "format": "byte"},
}

func (c *components) structOf(t *schema.Type) tree {
	properties := tree{}
	var required []string
	for i := range t.Fields {
		f := &t.Fields[i]
		properties[f.Name] = c.field(f)
		if f.Required {
			required = append(required, f.Name)
		}
	}
	s := tree{"type": "object"}
	if len(properties) > 0 {
		s["properties"] = properties
	}
	if len(required) > 0 {
		s["required"] = required
	}
	if t.MapType != "" {
		s["x-kubernetes-map-type"] = t.MapType
	}
	return s
}

// field returns the schema of a field: its type, and how it is merged.
func (c *components) field(f *schema.Field) tree {
	var s tree
	switch {
	case f.Type.Kind == schema.Raw:
		s = c.raw(f.Name)
	case f.Type.Kind == schema.List && f.Type.Elem.Kind == schema.Raw:
		s = tree{"type": "array", "items": c.raw(f.Name)}
	case f.Pointer || f.OmitEmpty && f.Type.Kind != schema.Struct:
		s = c.schemaOf(f.Type)
	default:
		s = c.value(f.Type)
	}
	s = beside(s)
	add := func(key string, value string) {
		if value != "" {
			s[key] = value
		}
	}
	add("x-kubernetes-patch-strategy", f.PatchStrategy)
	add("x-kubernetes-patch-merge-key", f.PatchMergeKey)
	add("x-kubernetes-list-type", f.ListType)
	add("x-kubernetes-map-type", f.MapType)
	if len(f.ListMapKeys) > 0 {
		s["x-kubernetes-list-map-keys"] = f.ListMapKeys
	}
	if f.Default != nil {
		s["default"] = f.Default
	}
	return s
}
