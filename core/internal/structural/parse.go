package structural

// Parse parses an openAPIV3Schema. Unknown fields, and those of the wrong type, are ignored: the
// API server decodes schemas by their type, and Check reports other errors. A nil tree gives a nil
// Schema.
//
// A schema has at most MaxDepth levels, and the memory that Memory says, at most MaxMemory: what a tree has
// beyond that, which Oversized reports and no new definition has, is a schema that allows everything.
func Parse(tree map[string]any) *Schema {
	p := parser{left: MaxMemory}
	return p.schema(tree, 1)
}

// beyond stands for the parts of a schema that are beyond its limits.
var beyond = &Schema{PreserveUnknown: true, tree: map[string]any{preserveUnknown: true}}

// A parser parses one openAPIV3Schema.
type parser struct{ left int64 }

func (p *parser) schema(tree map[string]any, level int) *Schema {
	if tree == nil {
		return nil
	}
	if p.left -= memoryOf(tree); p.left < 0 || level > MaxDepth {
		return beyond
	}
	child := func(v any) *Schema {
		tree, _ := v.(map[string]any)
		return p.schema(tree, level+1)
	}
	aSchema := func(v any) (*Schema, bool) {
		s := child(v)
		return s, s != nil
	}
	text := func(name string) string { v, _ := tree[name].(string); return v }
	flag := func(name string) bool { v, _ := tree[name].(bool); return v }
	s := &Schema{
		tree: tree,
		Type: text("type"), Format: text("format"), Title: text("title"), Description: text("description"),
		Nullable: flag("nullable"), Default: tree["default"],
		Properties: properties(tree["properties"], aSchema), Items: child(tree["items"]),
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
		s.Additional, s.AllowsAdditional = child(more), true
	}
	if s.Pattern != "" {
		s.pattern, _ = newPattern(s.Pattern)
	}
	return s
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

func aText(v any) (string, bool) {
	s, ok := v.(string)
	return s, ok
}

func properties(v any, read func(any) (*Schema, bool)) map[string]*Schema {
	tree, _ := v.(map[string]any)
	if len(tree) == 0 {
		return nil
	}
	all := make(map[string]*Schema, len(tree))
	for name, e := range tree {
		if s, ok := read(e); ok {
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
