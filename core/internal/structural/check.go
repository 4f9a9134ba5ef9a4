package structural

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// Check returns the violations of the rules for structural schemas: specified fields must have a
// type, schemas below allOf, anyOf, oneOf and not may only restrict fields that are specified
// outside of them, and metadata may only be restricted in its names.
func Check(s *Schema, at field.Path) field.ErrorList {
	return field.Lazily(at, func(at field.Path) field.ErrorList {
		c := checker{budget: NewBudget()}
		c.structure(s, atRoot, at)
		c.demands(s, s, at, at)
		if c.budget.Spent() {
			return TooMuch(at)
		}
		slices.SortFunc(c.errs, func(a, b *field.Error) int { return cmp.Compare(a.Error(), b.Error()) })
		return c.errs
	})
}

type checker struct {
	errs     field.ErrorList
	programs int // the size of all patterns so far
	budget   *Budget
}

// The levels of a schema are named in errors.
type level int

const (
	atRoot level = iota
	inItems
	inFields
)

// structure checks a part of the structure.
func (c *checker) structure(s *Schema, l level, at field.Path) {
	if s == nil || !c.budget.Visit(at) {
		return
	}
	if s.Type == "array" && s.Items == nil {
		c.errs.Add(field.Required(at.Child("items"), "must be specified"))
	}
	c.structure(s.Items, inItems, at.Child("items"))
	for name, p := range s.Properties {
		if c.budget.Spent() {
			return
		}
		c.structure(p, inFields, at.Child("properties").Key(name))
	}
	if s.AllowsAdditional || s.Closed {
		if l == atRoot {
			c.errs.Add(field.Forbidden(at.Child("additionalProperties"), "must not be used at the root"))
		}
		c.structure(s.Additional, inFields, at.Child("additionalProperties"))
		if s.Embedded {
			c.errs.Add(field.Forbidden(at.Child("additionalProperties"),
				"must not be used if x-kubernetes-embedded-resource is set"))
		}
	}
	if s.IntOrString && s.PreserveUnknown {
		c.errs.Add(field.Invalid(at.Child("x-kubernetes-preserve-unknown-fields"), true,
			"must be false if x-kubernetes-int-or-string is true"))
	}
	if s.IntOrString && s.Embedded {
		c.errs.Add(field.Invalid(at.Child("x-kubernetes-embedded-resource"), true,
			"must be false if x-kubernetes-int-or-string is true"))
	}
	c.nested(s, isIntOrString(s.AnyOf), len(s.AllOf) > 0 && isIntOrString(s.AllOf[0].AnyOf), at)
	c.kind(s, l, at)
	c.metadata(s, l, at)
}

var emptyType = map[level]string{
	atRoot:   "must not be empty at the root",
	inItems:  "must not be empty for specified array items",
	inFields: "must not be empty for specified object fields",
}

// kind checks that there is a type, and the right one.
func (c *checker) kind(s *Schema, l level, at field.Path) {
	const must = "must be object if x-kubernetes-embedded-resource is true"
	switch {
	case s.Embedded && s.Type == "":
		c.errs.Add(field.Required(at.Child("type"), must))
	case s.Embedded && s.Type != "object":
		c.errs.Add(field.Invalid(at.Child("type"), s.Type, must))
	case s.Type == "" && !s.IntOrString && !s.PreserveUnknown:
		c.errs.Add(field.Required(at.Child("type"), emptyType[l]))
	}
	if l == atRoot && s.Type != "" && s.Type != "object" {
		c.errs.Add(field.Invalid(at.Child("type"), s.Type, "must be object at the root"))
	}
}

// metadata checks the schema of the fields that every object has.
func (c *checker) metadata(s *Schema, l level, at field.Path) {
	isObject := l == atRoot || s.Embedded
	properties := at.Child("properties")
	for _, name := range []string{"kind", "apiVersion"} {
		if p := s.Properties[name]; p != nil && isObject && p.Type != "string" {
			c.errs.Add(field.Invalid(properties.Key(name).Child("type"), p.Type, "must be string"))
		}
	}
	if p := s.Properties["metadata"]; p != nil {
		if isObject && p.Type != "object" {
			c.errs.Add(field.Invalid(properties.Key("metadata").Child("type"), p.Type, "must be object"))
		}
		if l == atRoot && !onlyNames(p) {
			c.errs.Add(field.Forbidden(properties.Key("metadata"),
				"must not specify anything other than name and generateName, but metadata is implicitly specified"))
		}
	}
	if s.Embedded && !s.PreserveUnknown && len(s.Properties) == 0 {
		c.errs.Add(field.Required(properties,
			"must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"))
	}
}

// onlyNames reports whether nothing but names is specified of metadata.
func onlyNames(s *Schema) bool {
	for name := range s.Properties {
		if name != "name" && name != "generateName" {
			return false
		}
	}
	for key, v := range s.tree {
		switch key {
		case "type", "default", "properties":
		default:
			if v != nil && v != false && v != "" {
				return false
			}
		}
	}
	return true
}

// isIntOrString reports whether schemas are the two that stand for int-or-string.
func isIntOrString(anyOf []*Schema) bool {
	if len(anyOf) != 2 {
		return false
	}
	for i, kind := range []string{"integer", "string"} {
		for key, v := range anyOf[i].tree {
			if key != "type" && v != nil && v != false && v != "" {
				return false
			}
		}
		if anyOf[i].Type != kind {
			return false
		}
	}
	return true
}

// AnyIntOrString reports whether a schema restricts a value to an integer or a string, in OpenAPI's
// own keywords.
func AnyIntOrString(s *Schema) bool { return isIntOrString(s.AnyOf) }

// nested checks schemas below allOf, anyOf, oneOf and not. The two schemas of int-or-string have
// types all the same.
func (c *checker) nested(s *Schema, skipAny, skipFirst bool, at field.Path) {
	if !skipAny {
		for i, one := range within(c.budget, s.AnyOf) {
			c.demand(one, false, at.Child("anyOf").Index(i))
		}
	}
	for i, one := range within(c.budget, s.AllOf) {
		c.demand(one, skipFirst && i == 0, at.Child("allOf").Index(i))
	}
	for i, one := range within(c.budget, s.OneOf) {
		c.demand(one, false, at.Child("oneOf").Index(i))
	}
	c.demand(s.Not, false, at.Child("not"))
	if s.Pattern != "" && s.pattern == nil {
		_, err := newPattern(s.Pattern)
		c.errs.Add(field.Invalid(at.Child("pattern"), s.Pattern,
			fmt.Sprintf("must be a valid regular expression, but isn't: %v", err)))
	}
	c.program(s, at)
}

// program checks that a pattern, and all of them together, can be matched fast. The real server has
// no such limit: it accepts what Go can compile.
func (c *checker) program(s *Schema, at field.Path) {
	if s.pattern == nil {
		return
	}
	before := c.programs
	switch c.programs += s.pattern.size; {
	case s.pattern.size > MaxProgram:
		c.errs.Add(field.Invalid(at.Child("pattern"), s.Pattern, TooLarge(s.pattern.size, MaxProgram)))
	case before <= MaxPrograms && c.programs > MaxPrograms:
		c.errs.Add(field.Invalid(at.Child("pattern"), s.Pattern, "together with the patterns before it "+
			TooLarge(c.programs, MaxPrograms)))
	}
}

// demand checks that a schema only restricts, and specifies nothing.
func (c *checker) demand(s *Schema, skipAny bool, at field.Path) {
	if s == nil || !c.budget.Visit(at) {
		return
	}
	c.nested(s, skipAny, false, at)
	c.demand(s.Items, false, at.Child("items"))
	for name, p := range s.Properties {
		if c.budget.Spent() {
			return
		}
		c.demand(p, false, at.Child("properties").Key(name))
	}
	for _, no := range []struct {
		name  string
		is    bool
		words string
	}{
		{"type", s.Type != "", "empty"},
		{"additionalProperties", s.AllowsAdditional, "undefined"},
		{"default", s.Default != nil, "undefined"},
		{"title", s.Title != "", "empty"},
		{"description", s.Description != "", "empty"},
		{"nullable", s.Nullable, "false"},
		{"x-kubernetes-preserve-unknown-fields", s.PreserveUnknown, "false"},
		{"x-kubernetes-embedded-resource", s.Embedded, "false"},
		{"x-kubernetes-int-or-string", s.IntOrString, "false"},
		{"x-kubernetes-list-map-keys", len(s.ListMapKeys) > 0, "empty"},
		{"x-kubernetes-list-type", s.has("x-kubernetes-list-type"), "undefined"},
		{"x-kubernetes-map-type", s.has("x-kubernetes-map-type"), "undefined"},
		{"x-kubernetes-validations", len(s.Rules) > 0, "empty"},
	} {
		if no.is {
			c.errs.Add(field.Forbidden(at.Child(no.name), "must be "+no.words+" to be structural"))
		}
	}
	if s.Properties["metadata"] != nil {
		c.errs.Add(field.Forbidden(at.Child("properties").Key("metadata"), "must not be specified in a nested context"))
	}
}

// has reports whether the written schema has a field.
func (s *Schema) has(name string) bool { return s.tree[name] != nil }

// demands checks that whatever the schemas below asking restrict is specified: is is the specified
// schema, at sAt.
func (c *checker) demands(asking, is *Schema, sAt, vAt field.Path) {
	each := func(one *Schema, at field.Path) {
		if one != nil && !c.budget.Spent() {
			c.specified(one, is, sAt, at)
		}
	}
	each(asking.Not, vAt.Child("not"))
	for i, one := range asking.AllOf {
		each(one, vAt.Child("allOf").Index(i))
	}
	for i, one := range asking.AnyOf {
		each(one, vAt.Child("anyOf").Index(i))
	}
	for i, one := range asking.OneOf {
		each(one, vAt.Child("oneOf").Index(i))
	}
}

func (c *checker) specified(asks, is *Schema, sAt, vAt field.Path) {
	if !c.budget.Visit(vAt) {
		return
	}
	if is == nil {
		c.errs.Add(field.Required(sAt, "because it is defined in "+vAt.String()))
		return
	}
	c.demands(asks, is, sAt, vAt)
	if asks.Items != nil {
		c.specified(asks.Items, is.Items, sAt.Child("items"), vAt.Child("items"))
	}
	for name, p := range asks.Properties {
		if c.budget.Spent() {
			return
		}
		c.specified(p, is.Properties[name], sAt.Child("properties").Key(name), vAt.Child("properties").Key(name))
	}
}
