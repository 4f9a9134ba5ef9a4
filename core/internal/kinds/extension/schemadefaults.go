package extension

import (
	"maps"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
)

// checkDefaults returns the violations of defaults that do not match their schema, which is one of
// whole objects.
func checkDefaults(s *structural.Schema, at field.Path) field.ErrorList {
	root := *s
	root.Embedded = true
	return field.Lazily(at, func(at field.Path) field.ErrorList {
		c := defaultsCheck{budget: structural.NewBudget()}
		c.schema(&root, nil, false, at)
		if c.budget.Spent() && len(c.errs) == 0 {
			return structural.TooMuch(at)
		}
		return c.errs
	})
}

type defaultsCheck struct {
	errs   field.ErrorList
	budget *structural.Budget
}

// A surrounding is the next embedded object above a default: its schema, and a function that makes
// such an object around the default.
type surrounding struct {
	schema *structural.Schema
	make   func(v any) map[string]any
}

func (o *surrounding) below(wrap func(v any) any) *surrounding {
	return &surrounding{o.schema, func(v any) map[string]any { return o.make(wrap(v)) }}
}

func (c *defaultsCheck) schema(s *structural.Schema, around *surrounding, insideMeta bool, at field.Path) {
	if s == nil || !c.budget.Visit(at) {
		return
	}
	if s.Embedded {
		insideMeta = false
		around = &surrounding{s, func(v any) map[string]any {
			obj := tree.Map(v)
			if obj == nil {
				obj = map[string]any{}
			}
			tree.Default(obj, "kind", "Validation")
			tree.Default(obj, "apiVersion", "validation/v1")
			return obj
		}}
	}
	if s.Default != nil {
		if insideMeta {
			c.metadata(s, around, at.Child("default"))
		} else {
			c.value(s, at.Child("default"))
		}
	}
	c.schema(s.Items, around.below(func(v any) any { return []any{v} }), insideMeta, at.Child("items"))
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if c.budget.Spent() {
			return
		}
		inside := insideMeta || s.Embedded && (name == "metadata" || name == "apiVersion" || name == "kind")
		c.schema(s.Properties[name], around.below(func(v any) any { return map[string]any{name: v} }), inside,
			at.Child("properties").Key(name))
	}
}

// metadata checks a default within the metadata of an object: with it, the object has to be valid.
func (c *defaultsCheck) metadata(s *structural.Schema, around *surrounding, at field.Path) {
	const must = "must result in valid metadata: "
	root := *around.schema
	root.Embedded = true
	obj := around.make(object.DeepCopy(s.Default))
	if _, err := CoerceEmbedded(obj, &root, ""); err != nil {
		c.errs.Add(field.Invalid(at, s.Default, must+err.Error()))
	} else if errs := checkEmbedded(obj, &root, ""); len(errs) > 0 {
		c.errs.Add(field.Invalid(at, s.Default, must+errs.Message()))
	} else {
		c.errs.Add(structural.ValidateDefault(s.Default, s, at, c.budget)...)
	}
}

// value checks any other default.
func (c *defaultsCheck) value(s *structural.Schema, at field.Path) {
	pruned := object.DeepCopy(s.Default)
	structural.PruneValue(pruned, s)
	if !object.Equal(pruned, s.Default) {
		c.errs.Add(field.Invalid(at, s.Default, "must not have unknown fields"))
	}
	v := object.DeepCopy(s.Default)
	if _, err := CoerceEmbedded(v, s, at); err != nil {
		c.errs.Add(err)
	} else if errs := checkEmbedded(v, s, at); len(errs) > 0 {
		c.errs.Add(errs...)
	} else {
		c.errs.Add(structural.ValidateDefault(v, s, at, c.budget)...)
	}
}
