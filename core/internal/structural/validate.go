package structural

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// Validate returns the violations of a value. at is its path, empty for a whole object.
func Validate(v any, s *Schema, at field.Path) field.ErrorList {
	return validate(valueContext{}, v, s, at, NewBudget())
}

// ValidateUpdate returns the violations of a value that replaces another one. Violations in
// unchanged parts are ignored.
func ValidateUpdate(v, old any, s *Schema, at field.Path) field.ErrorList {
	return validate(valueContext{old: old, known: true, structure: s, root: at == ""}, v, s, at, NewBudget())
}

// ValidateDefault returns the violations of a default: it does what Validate does, except that it
// does not check int-or-string values, and checks formats that are ignored elsewhere, as the real
// server does. All defaults of a schema have one budget.
func ValidateDefault(v any, s *Schema, at field.Path, budget *Budget) field.ErrorList {
	return validate(valueContext{}, v, loose(s), at, budget)
}

func validate(p valueContext, v any, s *Schema, at field.Path, budget *Budget) field.ErrorList {
	p.budget = budget
	found := p.value(v, s, "")
	if budget.Spent() {
		return exceeded(at)
	}
	return errorsOf(found, at)
}

// loose returns a schema for defaults.
func loose(s *Schema) *Schema {
	if s == nil {
		return nil
	}
	l := *s
	l.IntOrString, l.loose = false, true
	l.Items, l.Additional, l.Not = loose(s.Items), loose(s.Additional), loose(s.Not)
	for _, list := range []*[]*Schema{&l.AllOf, &l.AnyOf, &l.OneOf} {
		*list = slices.Clone(*list)
		for i, one := range *list {
			(*list)[i] = loose(one)
		}
	}
	l.Properties = maps.Clone(s.Properties)
	for name, p := range l.Properties {
		l.Properties[name] = loose(p)
	}
	return &l
}

// A valueContext is the context of a value.
type valueContext struct {
	// old is the old value, if known.
	old   any
	known bool
	// structure is the structural schema of the value.
	structure *Schema
	root      bool
	budget    *Budget
}

// unknown returns a valueContext without a schema and an old value.
func (p valueContext) unknown() valueContext { return valueContext{budget: p.budget} }

// field returns the context of a field.
func (p valueContext) field(name string) valueContext {
	was, ok := p.old.(map[string]any)
	if !p.known || !ok || p.root && (name == "kind" || name == "apiVersion") {
		return p.unknown()
	}
	old, ok := was[name]
	s, _ := p.structure.property(name)
	if !ok || s == nil {
		return p.unknown()
	}
	return valueContext{old: old, known: true, structure: s, budget: p.budget}
}

// items returns the contexts of the items of a list: with old values if the list is a map.
func (p valueContext) items() func(v any) valueContext {
	was, ok := p.old.([]any)
	if !p.known || !ok || p.structure.Items == nil {
		return func(any) valueContext { return p.unknown() }
	}
	before := p.structure.correlation(was)
	return func(v any) valueContext {
		old, ok := before.find(v)
		if !ok {
			return p.unknown()
		}
		return valueContext{old: old, known: true, structure: p.structure.Items, budget: p.budget}
	}
}

// A correlation finds the items of a list that is a map by their keys.
type correlation struct {
	keys  []string
	items map[string]map[string]any // the first of those with the same keys
}

func (s *Schema) correlation(list []any) correlation {
	if s.ListType != "map" || len(s.ListMapKeys) == 0 {
		return correlation{}
	}
	c := correlation{s.ListMapKeys, make(map[string]map[string]any, len(list))}
	for _, e := range list {
		item, _ := e.(map[string]any)
		if id, ok := c.id(item); ok && c.items[id] == nil {
			c.items[id] = item
		}
	}
	return c
}

// find returns the item that has the keys of v.
func (c correlation) find(v any) (item map[string]any, ok bool) {
	is, _ := v.(map[string]any)
	id, ok := c.id(is)
	if !ok {
		return nil, false
	}
	item, ok = c.items[id]
	return item, ok
}

// id returns a string that is equal for items with the same keys; false if an item does not have
// them all.
func (c correlation) id(item map[string]any) (string, bool) {
	if item == nil || len(c.keys) == 0 {
		return "", false
	}
	var id []byte
	for _, k := range c.keys {
		switch v := item[k].(type) {
		case bool:
			id = strconv.AppendBool(append(id, 'b'), v)
		case string: // with its length in front nothing has to be escaped
			id = append(append(strconv.AppendInt(append(id, 's'), int64(len(v)), 10), ':'), v...)
		case int64:
			id = append(strconv.AppendInt(append(id, 'i'), v, 10), ';')
		case float64:
			id = append(strconv.AppendFloat(append(id, 'f'), v+0, 'g', -1, 64), ';') // -0 is 0
		default:
			return "", false
		}
	}
	return string(id), true
}

// unchanged reports whether a value is equal to the old one. An unspecified value, whose old value
// is not known, counts as changed.
func unchanged(v, old any, s *Schema) bool {
	switch v := v.(type) {
	case []any:
		was, ok := old.([]any)
		if !ok || len(v) != len(was) {
			return false
		}
		if s.ListType != "map" {
			return reflect.DeepEqual(v, was)
		}
		before := s.correlation(was)
		for _, e := range v {
			item, ok := before.find(e)
			if !ok || s.Items == nil || !unchanged(e, item, s.Items) {
				return false
			}
		}
		return true
	case map[string]any:
		was, ok := old.(map[string]any)
		if !ok || len(v) != len(was) {
			return false
		}
		for name, e := range v {
			before, ok := was[name]
			p, _ := s.property(name)
			if !ok || p == nil || !unchanged(e, before, p) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(v, old)
}

// A violation is an error whose path is not known yet.
type violation struct {
	// name is its path, below the value that is checked; empty for that itself, and for violations of
	// combinations of schemas.
	name    string
	kind    field.Type
	value   any
	detail  string
	message string // by which duplicate violations are recognized
}

func invalid(name string, value any, message string) violation {
	return violation{name, field.TypeInvalid, value, message, message}
}

// A result is the outcome of a check, and how much was valid: if several schemas do not match, the
// violations of the best one are reported.
type result struct {
	violations []violation
	known      map[string]bool // their messages
	right      int
}

func (r *result) add(violations ...violation) {
	for _, f := range violations {
		if r.known[f.message] {
			continue
		}
		if r.known == nil {
			r.known = map[string]bool{}
		}
		r.known[f.message] = true
		r.violations = append(r.violations, f)
	}
}

func (r *result) merge(other result) {
	if len(r.violations) == 0 { // most have none, and some are found far below
		r.violations, r.known = other.violations, other.known
	} else {
		r.add(other.violations...)
	}
	r.right += other.right
}

// errorsOf adds the path to violations.
func errorsOf(r result, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, f := range r.violations {
		where := at
		if name := strings.TrimPrefix(f.name, "."); name != "" {
			where = at.Child(name)
		}
		if where == "" {
			where = "<nil>" // as in the real server
		}
		errs.Add(&field.Error{Type: f.kind, Field: string(where), BadValue: f.value, Detail: f.detail})
	}
	return errs
}

// value checks a value; violations of an unchanged value are ignored.
func (p valueContext) value(v any, s *Schema, path string) result {
	r := p.schema(v, s, path)
	for _, f := range r.violations {
		p.budget.spend(stepsOfViolation * (len(f.detail) + len(f.message)))
	}
	if len(r.violations) > 0 && p.known && unchanged(v, p.old, p.structure) {
		r.violations, r.known = nil, nil
	}
	return r
}

// schema checks a value against one schema.
func (p valueContext) schema(v any, s *Schema, path string) (r result) {
	if !p.budget.spend(stepsOfVisit + len(path)) {
		return r
	}
	c := check{s, path, p.budget}
	if v == nil {
		if violation, ok := c.null(); ok {
			r.merge(result{right: 1})
		} else {
			r.add(violation)
		}
		c.enum(&r, v)
		return r
	}
	if len(s.types()) > 0 || s.format() != "" {
		c.kind(&r, v)
		r.right++
	}
	p.combinations(&r, v, s, path)
	r.right++
	switch v := v.(type) {
	case string:
		c.text(&r, v)
		r.right++
		if valid := formatOf(s.format()); valid != nil {
			if !valid(v) {
				r.add(c.wrongType(s.format(), v))
			}
			r.right++
		}
	case int64:
		c.number(&r, v, float64(v), strconv.FormatInt(v, 10))
		r.right++
	case float64:
		c.number(&r, v, v, strconv.FormatFloat(v, 'f', -1, 64))
		r.right++
	case []any:
		p.list(&r, v, s, path)
		r.right++
	}
	c.enum(&r, v)
	r.right++
	if m, ok := v.(map[string]any); ok {
		p.fields(&r, m, s, path)
		r.right++
	}
	r.right++
	p.budget.spend(stepsOfWords * len(r.violations))
	return r
}

// types returns the types that a value may have; none: any.
func (s *Schema) types() []string {
	switch {
	case s.IntOrString:
		return []string{"integer", "string"}
	case s.Type != "":
		return []string{s.Type}
	}
	return nil
}

// format returns the format that is checked: others are ignored.
func (s *Schema) format() string {
	if s.loose {
		return s.Format
	}
	types := s.types()
	if s.Format == "" || len(types) > 1 && formatOf(s.Format) == nil {
		return ""
	}
	if KnownFormat(s.Type, s.Format) {
		return s.Format
	}
	return ""
}
