package structural

import (
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// CheckOpenAPI returns the violations of a schema, structural or not, that definitions may not
// have.
func CheckOpenAPI(s *Schema, at field.Path) field.ErrorList {
	return field.Lazily(at, func(at field.Path) field.ErrorList {
		o := openAPI{budget: NewBudget()}
		o.schema(s, surroundings{root: true}, at)
		if o.budget.Spent() {
			return TooMuch(at)
		}
		return o.errs
	})
}

// Unsupported returns the reason why a schema cannot be read as a structural one at all; empty if
// it can.
func Unsupported(s *Schema) string {
	if s == nil {
		return ""
	}
	for _, name := range []string{"id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems",
		"definitions"} {
		has := name == "additionalItems" && s.has(name)
		switch v := s.tree[name].(type) {
		case string:
			has = v != ""
		case map[string]any:
			has = has || len(v) > 0
		}
		if has {
			return "OpenAPIV3Schema '" + strings.Replace(name, "$s", "s", 1) + "' is not supported"
		}
	}
	if list, ok := s.tree["items"].([]any); ok && len(list) > 0 {
		return "OpenAPIV3Schema 'items' must be a schema, but is an array"
	}
	if s.tree[preserveUnknown] == false {
		return "internal error: '" + preserveUnknown + "' must be true or undefined"
	}
	for _, part := range s.parts() {
		if why := Unsupported(part); why != "" {
			return why
		}
	}
	return ""
}

const preserveUnknown = "x-kubernetes-preserve-unknown-fields"

// parts returns the direct subschemas of a schema.
func (s *Schema) parts() []*Schema {
	all := slices.Concat([]*Schema{s.Items}, s.AllOf, s.AnyOf, s.OneOf, []*Schema{s.Not})
	for _, name := range sortedKeys(s.Properties) {
		all = append(all, s.Properties[name])
	}
	return append(all, s.Additional)
}

// HasDefaults reports whether there are defaults in a schema.
func HasDefaults(s *Schema) bool {
	return s != nil && (s.Default != nil || slices.ContainsFunc(s.parts(), HasDefaults))
}

// UnknownFormats returns the formats in a schema that the API server does not check.
func UnknownFormats(s *Schema) []string {
	if s == nil {
		return nil
	}
	var all []string
	if s.Format != "" && !KnownFormat(s.Type, s.Format) {
		all = append(all, s.Format)
	}
	for _, part := range s.parts() {
		all = append(all, UnknownFormats(part)...)
	}
	return all
}

type openAPI struct {
	errs   field.ErrorList
	budget *Budget
}

// surroundings describe the context of a schema.
type surroundings struct {
	root bool
	// metadata: it is within the metadata of an object.
	metadata bool
	// noDefault, if not empty, is the reason why a default is not allowed.
	noDefault string
}

func (w surroundings) below() surroundings {
	w.root = false
	return w
}

// kinds are the types of values.
var kinds = []string{"array", "boolean", "integer", "number", "object", "string"}

func (o *openAPI) schema(s *Schema, where surroundings, at field.Path) {
	if s == nil || !o.budget.Visit(at) {
		return
	}
	o.words(s, where, at)
	below := where.below()
	if s.UniqueItems {
		o.errs.Add(field.Forbidden(at.Child("uniqueItems"),
			"uniqueItems cannot be set to true since the runtime complexity becomes quadratic"))
	}
	if s.AllowsAdditional || s.Closed {
		if len(s.Properties) > 0 && (s.Closed || s.Additional != nil) {
			o.errs.Add(field.Forbidden(at.Child("additionalProperties"),
				"additionalProperties and properties are mutual exclusive"))
		}
		inside := below
		if where.metadata {
			inside.noDefault = "inside additionalProperties applying to object metadata"
		}
		o.schema(s.Additional, inside, at.Child("additionalProperties"))
	}
	for _, name := range sortedKeys(s.Properties) {
		if o.budget.Spent() {
			return
		}
		inside := below
		if (where.root || s.Embedded) && metaFields[name] {
			inside.metadata = true
			if where.root {
				inside.noDefault = "in top-level " + name
			}
		}
		o.schema(s.Properties[name], inside, at.Child("properties").Key(name))
	}
	o.schema(s.Not, below, at.Child("not"))
	for _, group := range []struct {
		name string
		all  []*Schema
	}{{"allOf", s.AllOf}, {"oneOf", s.OneOf}, {"anyOf", s.AnyOf}} {
		for i, one := range within(o.budget, group.all) {
			o.schema(one, below, at.Child(group.name).Index(i))
		}
	}
	o.schema(s.Items, below, at.Child("items"))
	if s.tree[preserveUnknown] == false {
		o.errs.Add(field.Invalid(at.Child(preserveUnknown), false, "must be true or undefined"))
	}
	o.mapType(s, at)
	o.listType(s, at)
	o.listMap(s, at)
	o.items(s, at)
	supported := sync.OnceValue(func() bool { return Unsupported(s) == "" }) // goes through all of it
	for i, r := range s.RuleList() {
		o.errs.Add(r.check(s, supported, at.Child("x-kubernetes-validations").Index(i))...)
	}
}

// words checks the keywords of a schema.
func (o *openAPI) words(s *Schema, where surroundings, at field.Path) {
	if s.Type != "" && !slices.Contains(kinds, s.Type) {
		o.errs.Add(field.NotSupported(at.Child("type"), s.Type, kinds...))
	}
	if s.Default != nil && where.noDefault != "" {
		o.errs.Add(field.Forbidden(at.Child("default"), "must not be set "+where.noDefault))
	}
	for _, name := range []string{"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"} {
		v := s.tree[name]
		if m, _ := v.(map[string]any); len(m) == 0 && (name == "patternProperties" || name == "definitions") {
			continue
		}
		if v != nil && (v != "" || name == "$ref") {
			o.errs.Add(field.Forbidden(at.Child(name), name+" is not supported"))
		}
	}
	if s.Type == "null" {
		o.errs.Add(field.Forbidden(at.Child("type"), "type cannot be set to null, use nullable as an alternative"))
	}
	if list, ok := s.tree["items"].([]any); ok && len(list) > 0 {
		o.errs.Add(field.Forbidden(at.Child("items"), "items must be a schema object and not an array"))
	}
	if where.metadata && s.Embedded {
		o.errs.Add(field.Forbidden(at.Child("x-kubernetes-embedded-resource"), "must not be used inside of resource meta"))
	}
}

// hasType checks that a schema with an extension has the type that the extension requires.
func (o *openAPI) hasType(s *Schema, kind, extension string, at field.Path) (right bool) {
	must := "must be " + kind + " if " + extension + " is specified"
	switch {
	case !s.has(extension), s.Type == kind:
		return true
	case s.Type == "":
		o.errs.Add(field.Required(at.Child("type"), must))
	default:
		o.errs.Add(field.Invalid(at.Child("type"), s.Type, must))
	}
	return false
}

func (o *openAPI) mapType(s *Schema, at field.Path) {
	const name = "x-kubernetes-map-type"
	o.hasType(s, "object", name, at)
	if s.has(name) && s.MapType != "atomic" && s.MapType != "granular" {
		o.errs.Add(field.NotSupported(at.Child(name), s.MapType, "atomic", "granular"))
	}
}

func (o *openAPI) listType(s *Schema, at field.Path) {
	const name = "x-kubernetes-list-type"
	if o.hasType(s, "array", name, at) && s.ListType == "set" && s.Items != nil {
		const must = "must be atomic as item of a list with x-kubernetes-list-type=set"
		items := at.Child("items")
		switch {
		case s.Items.Type == "array" && s.Items.has(name) && s.Items.ListType != "atomic":
			o.errs.Add(field.Invalid(items.Child(name), s.Items.ListType, must))
		case s.Items.Type == "object" && s.Items.MapType != "atomic":
			var shown any = field.Raw("null")
			if s.Items.has(name) {
				shown = s.Items.ListType
			}
			o.errs.Add(field.Invalid(items.Child("x-kubernetes-map-type"), shown, must))
		}
	}
	if s.has(name) && s.ListType != "atomic" && s.ListType != "set" && s.ListType != "map" {
		o.errs.Add(field.NotSupported(at.Child(name), s.ListType, "atomic", "set", "map"))
	}
}

// listMap checks the extensions of lists that are maps.
func (o *openAPI) listMap(s *Schema, at field.Path) {
	const name, keysName = "x-kubernetes-list-type", "x-kubernetes-list-map-keys"
	if len(s.ListMapKeys) > 0 && s.ListType != "map" {
		const must = "must be map if x-kubernetes-list-map-keys is non-empty"
		if s.has(name) {
			o.errs.Add(field.Invalid(at.Child(name), s.ListType, must))
		} else {
			o.errs.Add(field.Required(at.Child(name), must))
		}
	}
	if s.ListType != "map" {
		return
	}
	if len(s.ListMapKeys) == 0 {
		o.errs.Add(field.Required(at.Child(keysName), "must not be empty if x-kubernetes-list-type is map"))
	}
	switch list, isList := s.tree["items"].([]any); {
	case s.Items != nil:
	case isList:
		o.errs.Add(field.Invalid(at.Child("items"), printedItems(list),
			"must only have a single schema if x-kubernetes-list-type is map"))
	default:
		o.errs.Add(field.Required(at.Child("items"), "must have a schema if x-kubernetes-list-type is map"))
	}
	if s.Items == nil {
		return
	}
	if s.Items.Type != "object" {
		o.errs.Add(field.Invalid(at.Child("items").Child("type"), s.Items.Type,
			"must be object if parent array's x-kubernetes-list-type is map"))
		return
	}
	known := map[string]bool{}
	for _, key := range s.ListMapKeys {
		switch p := s.Items.Properties[key]; {
		case p == nil:
			o.errs.Add(field.Invalid(at.Child(keysName), s.ListMapKeys, "entries must all be names of item properties"))
		case p.Type == "array" || p.Type == "object":
			o.errs.Add(field.Invalid(at.Child("items").Child("properties").Key(key).Child("type"), s.Items.Type,
				"must be a scalar type if parent array's x-kubernetes-list-type is map"))
		}
		if known[key] {
			o.errs.Add(field.Invalid(at.Child(keysName), s.ListMapKeys, "must not contain duplicate entries"))
		}
		known[key] = true
	}
}

// items checks the items of lists that are sets or maps: they must be specified, and so must their
// keys.
func (o *openAPI) items(s *Schema, at field.Path) {
	if s.Items == nil || s.ListType != "set" && s.ListType != "map" {
		return
	}
	items := at.Child("items")
	if s.Items.Nullable {
		o.errs.Add(field.Forbidden(items.Child("nullable"), "cannot be nullable when x-kubernetes-list-type is "+s.ListType))
	}
	if s.ListType != "map" {
		return
	}
	required := make(map[string]bool, len(s.Items.Required))
	for _, key := range s.Items.Required {
		required[key] = true
	}
	for _, key := range s.ListMapKeys {
		p := s.Items.Properties[key]
		if p == nil {
			continue
		}
		if !required[key] && p.Default == nil {
			o.errs.Add(field.Required(items.Child("properties").Key(key).Child("default"),
				"this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"))
		}
		if p.Nullable {
			o.errs.Add(field.Forbidden(items.Child("properties").Key(key).Child("nullable"),
				"this property is in x-kubernetes-list-map-keys, so it cannot be nullable"))
		}
	}
}
