package structural

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
)

// Validate says what is wrong with a value. at is where it is, empty for a whole
// object.
func Validate(v any, s *Schema, at field.Path) field.ErrorList {
	return errorsOf(place{}.value(v, s, ""), at)
}

// ValidateUpdate says what is wrong with a value that takes the place of another
// one. What was there before is let pass: the parts that are as they were.
func ValidateUpdate(v, old any, s *Schema, at field.Path) field.ErrorList {
	return errorsOf(place{old: old, known: true, structure: s, root: at == ""}.value(v, s, ""), at)
}

// A place is what is known of where a value is put.
type place struct {
	// old is what was there before, if that is known.
	old   any
	known bool
	// structure is the schema of the place; the value may be checked by other ones,
	// too, which only ask something of it.
	structure *Schema
	root      bool
}

// field is the place of a field.
func (p place) field(name string) place {
	was, ok := p.old.(map[string]any)
	if !p.known || !ok || p.root && (name == "kind" || name == "apiVersion") {
		return place{}
	}
	old, ok := was[name]
	s, _ := p.structure.property(name)
	if !ok || s == nil {
		return place{}
	}
	return place{old: old, known: true, structure: s}
}

// item is the place of an item of a list: known if the list is a map.
func (p place) item(v any) place {
	was, ok := p.old.([]any)
	if !p.known || !ok || p.structure.ListType != "map" || p.structure.Items == nil {
		return place{}
	}
	item, _ := v.(map[string]any)
	for _, e := range was {
		old, _ := e.(map[string]any)
		if old != nil && item != nil && sameKeys(old, item, p.structure.ListMapKeys) {
			return place{old: old, known: true, structure: p.structure.Items}
		}
	}
	return place{}
}

func sameKeys(a, b map[string]any, keys []string) bool {
	return !slices.ContainsFunc(keys, func(k string) bool { return !reflect.DeepEqual(a[k], b[k]) })
}

// A fault is something that is wrong: an error of which the place is not known yet.
type fault struct {
	// name is where it is, below the value that is checked; empty for that itself,
	// and for what combinations of schemas complain of.
	name    string
	kind    field.Type
	value   any
	detail  string
	message string // in which faults that are found twice are the same
}

func invalid(name string, value any, message string) fault {
	return fault{name, field.TypeInvalid, value, message, message}
}

// A result is what a check has found, and how much was right: of several schemas
// that do not fit, the one that fits best is complained of.
type result struct {
	faults []fault
	right  int
}

func (r *result) add(faults ...fault) {
	for _, f := range faults {
		if !slices.ContainsFunc(r.faults, func(known fault) bool { return known.message == f.message }) {
			r.faults = append(r.faults, f)
		}
	}
}

func (r *result) merge(other result) {
	r.add(other.faults...)
	r.right += other.right
}

// errorsOf gives faults their place.
func errorsOf(r result, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, f := range r.faults {
		where := at
		if name := strings.TrimPrefix(f.name, "."); name != "" {
			where = at.Child(name)
		}
		if where == "" {
			where = "<nil>" // as the real server has it
		}
		errs.Add(&field.Error{Type: f.kind, Field: string(where), BadValue: f.value, Detail: f.detail})
	}
	return errs
}

// value checks a value; if something is wrong with it that was so before, nothing is.
func (p place) value(v any, s *Schema, path string) result {
	r := p.schema(v, s, path)
	if len(r.faults) > 0 && p.known && reflect.DeepEqual(p.old, v) {
		r.faults = nil
	}
	return r
}

// schema checks a value against one schema.
func (p place) schema(v any, s *Schema, path string) (r result) {
	c := check{s, path}
	if v == nil {
		if fault, ok := c.null(); ok {
			r.merge(result{right: 1})
		} else {
			r.add(fault)
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
		if valid := formats[normal(s.format())]; valid != nil {
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
		p.items(&r, v, s, path)
		r.right++
	}
	c.enum(&r, v)
	r.right++
	if m, ok := v.(map[string]any); ok {
		p.fields(&r, m, s, path)
		r.right++
	}
	r.right++
	return r
}

// types are the types that a value may have; none: any.
func (s *Schema) types() []string {
	switch {
	case s.IntOrString:
		return []string{"integer", "string"}
	case s.Type != "":
		return []string{s.Type}
	}
	return nil
}

// format is the format that counts: others are ignored.
func (s *Schema) format() string {
	types := s.types()
	if s.Format == "" || len(types) > 1 && formats[normal(s.Format)] == nil {
		return ""
	}
	if KnownFormat(s.Type, s.Format) {
		return s.Format
	}
	return ""
}
