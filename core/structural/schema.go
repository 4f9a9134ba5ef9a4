package structural

// A Schema is a part of a structural schema: the structure of a value, and restrictions. Schemas
// below AllOf, AnyOf, OneOf and Not only restrict.
type Schema struct {
	// Type is object, array, string, integer, number or boolean; empty for values of any type or, with
	// IntOrString, of two.
	Type, Format, Title, Description string
	Nullable                         bool
	// Default replaces a missing value; nil: there is none.
	Default any

	// Properties are the fields of an object.
	Properties map[string]*Schema
	// Additional is the schema of all other fields, which are then allowed; nil with AllowsAdditional:
	// they are allowed without a schema.
	Additional       *Schema
	AllowsAdditional bool
	// Closed is additionalProperties: false.
	Closed bool
	Items  *Schema

	// The extensions.
	PreserveUnknown, Embedded, IntOrString bool
	ListType, MapType                      string
	ListMapKeys                            []string
	// Rules are the CEL rules as they are written.
	Rules []any

	// The restrictions of values.
	Maximum, Minimum, MultipleOf                                           *float64
	ExclusiveMaximum, ExclusiveMinimum                                     bool
	MaxLength, MinLength, MaxItems, MinItems, MaxProperties, MinProperties *int64
	UniqueItems                                                            bool
	Pattern                                                                string
	Enum                                                                   []any
	Required                                                               []string
	AllOf, AnyOf, OneOf                                                    []*Schema
	Not                                                                    *Schema

	pattern *pattern       // nil if Pattern is invalid
	enum    *enum          // of Enum
	loose   bool           // unknown formats count
	tree    map[string]any // the document of the schema
}

// Tree returns the openAPIV3Schema that the schema was parsed from. It must not be changed.
func (s *Schema) Tree() map[string]any { return s.tree }

// Parse parses an openAPIV3Schema. Unknown fields, and those of the wrong type, are ignored: the
// API server decodes schemas by their type, and Check reports other errors. A nil tree gives a nil
// Schema.
func Parse(tree map[string]any) *Schema {
	if tree == nil {
		return nil
	}
	text := func(name string) string { v, _ := tree[name].(string); return v }
	flag := func(name string) bool { v, _ := tree[name].(bool); return v }
	s := &Schema{
		tree: tree,
		Type: text("type"), Format: text("format"), Title: text("title"), Description: text("description"),
		Nullable: flag("nullable"), Default: tree["default"],
		Properties: properties(tree["properties"]), Items: child(tree["items"]),
		PreserveUnknown: flag("x-kubernetes-preserve-unknown-fields"),
		Embedded:        flag("x-kubernetes-embedded-resource"), IntOrString: flag("x-kubernetes-int-or-string"),
		ListType: text("x-kubernetes-list-type"), MapType: text("x-kubernetes-map-type"),
		ListMapKeys: itemsOf(tree["x-kubernetes-list-map-keys"], aText),
		Maximum:     number(tree["maximum"]), Minimum: number(tree["minimum"]), MultipleOf: number(tree["multipleOf"]),
		ExclusiveMaximum: flag("exclusiveMaximum"), ExclusiveMinimum: flag("exclusiveMinimum"),
		MaxLength: count(tree["maxLength"]), MinLength: count(tree["minLength"]),
		MaxItems: count(tree["maxItems"]), MinItems: count(tree["minItems"]),
		MaxProperties: count(tree["maxProperties"]), MinProperties: count(tree["minProperties"]),
		UniqueItems: flag("uniqueItems"), Pattern: text("pattern"), Required: itemsOf(tree["required"], aText),
		AllOf: itemsOf(tree["allOf"], aSchema), AnyOf: itemsOf(tree["anyOf"], aSchema),
		OneOf: itemsOf(tree["oneOf"], aSchema), Not: child(tree["not"]),
	}
	if s.Enum, _ = tree["enum"].([]any); len(s.Enum) > 0 {
		s.enum = newEnum(s.Enum)
	}
	s.Rules, _ = tree["x-kubernetes-validations"].([]any)
	switch more := tree["additionalProperties"].(type) {
	case bool:
		s.AllowsAdditional, s.Closed = more, !more
	case map[string]any:
		s.Additional, s.AllowsAdditional = Parse(more), true
	}
	if s.Pattern != "" {
		s.pattern, _ = newPattern(s.Pattern)
	}
	return s
}

func child(v any) *Schema {
	tree, _ := v.(map[string]any)
	return Parse(tree)
}

// itemsOf returns the items of a list that read accepts.
func itemsOf[T any](v any, read func(any) (T, bool)) []T {
	list, _ := v.([]any)
	var all []T
	for _, e := range list {
		if item, ok := read(e); ok {
			all = append(all, item)
		}
	}
	return all
}

func aSchema(v any) (*Schema, bool) {
	s := child(v)
	return s, s != nil
}

func aText(v any) (string, bool) {
	s, ok := v.(string)
	return s, ok
}

func properties(v any) map[string]*Schema {
	tree, _ := v.(map[string]any)
	if len(tree) == 0 {
		return nil
	}
	all := make(map[string]*Schema, len(tree))
	for name, e := range tree {
		if s := child(e); s != nil {
			all[name] = s
		}
	}
	return all
}

func number(v any) *float64 {
	switch v := v.(type) {
	case float64:
		return &v
	case int64:
		f := float64(v)
		return &f
	}
	return nil
}

func count(v any) *int64 {
	if n, ok := v.(int64); ok {
		return &n
	}
	return nil
}

// property returns the schema of a field; known reports whether the schema specifies it. With
// additionalProperties it specifies all fields, even if it forbids them.
func (s *Schema) property(name string) (field *Schema, known bool) {
	if p, ok := s.Properties[name]; ok {
		return p, true
	}
	return s.Additional, s.AllowsAdditional || s.Closed
}
