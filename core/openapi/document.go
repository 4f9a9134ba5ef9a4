package openapi

import (
	"slices"
	"sort"
	"strings"

	"github.com/tabernetes/tabernetes/core/schema"
)

// tree is a JSON object in the making.
type tree = map[string]any

// Form changes with what the documents of the same types and release look like,
// so that clients do not take those that they have kept for the present ones.
const Form = "3"

// Path is where the document of a group version is served, behind
// /openapi/v3/.
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
	for _, row := range rows {
		c.resource(row)
		addPaths(paths, c, row)
	}
	return c.document(release, paths)
}

// document is the document of these paths and the types that they mention.
func (c *components) document(release string, paths tree) tree {
	return tree{
		"openapi":    "3.0.0",
		"info":       tree{"title": "Kubernetes", "version": release},
		"paths":      paths,
		"components": tree{"schemas": c.schemas},
	}
}

// operations are the verbs of the API as OpenAPI has them: a method, and the
// action that Kubernetes' extension names.
var operations = []struct {
	verb, method, action string
	named                bool
}{
	{"list", "get", "list", false},
	{"create", "post", "post", false},
	{"deletecollection", "delete", "deletecollection", false},
	{"get", "get", "get", true},
	{"update", "put", "put", true},
	{"patch", "patch", "patch", true},
	{"delete", "delete", "delete", true},
}

// addPaths adds the paths of a resource type.
func addPaths(paths tree, c *components, row *schema.Resource) {
	base := "/" + Path(row.Group, row.Version) + "/"
	collection := base + row.Plural
	if row.Namespaced {
		collection = base + "namespaces/{namespace}/" + row.Plural
	}
	for _, op := range operations {
		if !row.HasVerb(op.verb) {
			continue
		}
		path := collection
		if op.named {
			path += "/{name}"
		}
		item, _ := paths[path].(tree)
		if item == nil {
			item = tree{"parameters": pathParameters(path)}
			paths[path] = item
		}
		item[op.method] = operation(c, row, op.verb, op.action)
	}
}

func pathParameters(path string) []any {
	var list []any
	for _, name := range []string{"namespace", "name"} {
		if strings.Contains(path, "{"+name+"}") {
			list = append(list, parameter(name, "path", "string"))
		}
	}
	return append(list, parameter("pretty", "query", "string"))
}

func parameter(name, in, kind string) tree {
	p := tree{"name": name, "in": in, "schema": tree{"type": kind, "uniqueItems": true}}
	if in == "path" {
		p["required"] = true
	}
	return p
}

// query are the parameters of each verb, with their types.
var query = map[string][][2]string{
	"list": {
		{"allowWatchBookmarks", "boolean"}, {"continue", "string"}, {"fieldSelector", "string"}, {"labelSelector", "string"},
		{"limit", "integer"}, {"resourceVersion", "string"}, {"resourceVersionMatch", "string"}, {"sendInitialEvents", "boolean"},
		{"timeoutSeconds", "integer"}, {"watch", "boolean"},
	},
	"create": {{"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}},
	"update": {{"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}},
	"patch":  {{"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}, {"force", "boolean"}},
	"delete": {{"dryRun", "string"}, {"gracePeriodSeconds", "integer"}, {"orphanDependents", "boolean"}, {"propagationPolicy", "string"}},
	"deletecollection": {
		{"continue", "string"}, {"dryRun", "string"}, {"fieldSelector", "string"}, {"gracePeriodSeconds", "integer"}, {"labelSelector", "string"},
		{"limit", "integer"}, {"orphanDependents", "boolean"}, {"propagationPolicy", "string"}, {"resourceVersion", "string"},
		{"resourceVersionMatch", "string"},
	},
}

func operation(c *components, row *schema.Resource, verb, action string) tree {
	op := tree{
		"x-kubernetes-action":             action,
		"x-kubernetes-group-version-kind": gvk(row.Group, row.Version, row.Kind),
		"operationId":                     verb + goName(row.Group) + goName(row.Version) + row.Kind,
		"tags":                            []any{goName(row.Group) + "_" + row.Version},
	}
	if parameters := query[verb]; parameters != nil {
		var list []any
		for _, p := range parameters {
			list = append(list, parameter(p[0], "query", p[1]))
		}
		op["parameters"] = list
	}
	takes, gives := c.bodies(row, verb)
	if takes != nil {
		body := tree{"content": tree{"*/*": tree{"schema": takes}}}
		if verb != "delete" && verb != "deletecollection" {
			body["required"] = true
		}
		op["requestBody"] = body
	}
	op["responses"] = tree{"200": tree{"description": "OK", "content": tree{"application/json": tree{"schema": gives}}}}
	return op
}

// bodies are the types of what a verb takes (nil: nothing) and what it gives.
func (c *components) bodies(row *schema.Resource, verb string) (takes, gives tree) {
	switch verb {
	case "create", "update":
		takes = c.object(row)
	case "patch":
		takes = c.named(metaTypes+"Patch", func() tree { return tree{"type": "object"} })
	case "delete", "deletecollection":
		return c.of(schema.TypeOf("", "v1", "DeleteOptions")), c.of(schema.TypeOf("", "v1", "Status"))
	case "list":
		return nil, c.list(row)
	}
	return takes, c.object(row)
}

func goName(name string) string {
	name, _, _ = strings.Cut(name, ".")
	if name == "" {
		return "Core"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func gvk(group, version, kind string) tree {
	return tree{"group": group, "kind": kind, "version": version}
}

// components collects the types that a document mentions.
type components struct{ schemas tree }

// resource adds a resource's own type with its group-version-kind.
func (c *components) resource(row *schema.Resource) {
	if t := row.Type(); t != nil && t.Name != "" {
		c.kind(t, row.Group, row.Version, row.Kind)
	}
}

// kind adds a type with a group-version-kind of its own.
func (c *components) kind(t *schema.Type, group, version, kind string) {
	c.of(t)
	definition := c.schemas[t.Name].(tree)
	list, _ := definition["x-kubernetes-group-version-kind"].([]any)
	definition["x-kubernetes-group-version-kind"] = append(list, gvk(group, version, kind))
}

// of describes a type, by reference if it has a name.
func (c *components) of(t *schema.Type) tree {
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
		return tree{"type": "object", "additionalProperties": c.of(t.Elem)}
	case schema.List:
		return tree{"type": "array", "items": c.of(t.Elem)}
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
		enum := make([]any, len(t.Enum))
		for i, word := range slices.Sorted(slices.Values(t.Enum)) {
			enum[i] = word
		}
		s["enum"] = enum
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
		sort.Strings(required)
		s["required"] = required
	}
	if t.MapType != "" {
		s["x-kubernetes-map-type"] = t.MapType
	}
	return s
}

// field describes a field: its type, and how it is merged.
func (c *components) field(f *schema.Field) tree {
	var s tree
	switch {
	case f.Type.Kind == schema.Raw:
		s = c.raw(f.Name)
	case f.Type.Kind == schema.List && f.Type.Elem.Kind == schema.Raw:
		s = tree{"type": "array", "items": c.raw(f.Name)}
	default:
		s = c.of(f.Type)
	}
	if s["$ref"] != nil {
		s = tree{"allOf": []any{s}} // a reference cannot have siblings
	}
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
