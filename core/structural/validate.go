package structural

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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

// combinations checks what a value has to be all, one, some or none of.
func (p place) combinations(r *result, v any, s *Schema, path string) {
	if len(s.AnyOf) > 0 {
		var best *result
		for _, one := range s.AnyOf {
			got := p.schema(v, one, path)
			if len(got.faults) == 0 {
				best = &got
				break
			}
			if best == nil || got.right > best.right {
				best = &got
			}
		}
		if len(best.faults) > 0 {
			r.add(invalid("", "", fmt.Sprintf("%q must validate at least one schema (anyOf)", path)))
		}
		r.merge(*best)
	}
	if len(s.OneOf) > 0 {
		p.oneOf(r, v, s, path)
	}
	if len(s.AllOf) > 0 {
		valid := 0
		for _, one := range s.AllOf {
			got := p.schema(v, one, path)
			if len(got.faults) == 0 {
				valid++
			}
			r.merge(got)
		}
		if valid != len(s.AllOf) {
			more := ""
			if valid == 0 {
				more = ". None validated"
			}
			r.add(invalid("", "", fmt.Sprintf("%q must validate all the schemas (allOf)%s", path, more)))
		}
	}
	if s.Not != nil && len(p.schema(v, s.Not, path).faults) == 0 {
		r.add(invalid("", "", fmt.Sprintf("%q must not validate the schema (not)", path)))
	}
	r.right++
}

func (p place) oneOf(r *result, v any, s *Schema, path string) {
	var best, fits *result
	valid := 0
	for _, one := range s.OneOf {
		got := p.schema(v, one, path)
		switch {
		case len(got.faults) == 0:
			valid++
			best = nil
			if fits == nil {
				fits = &got
			}
		case valid == 0 && (best == nil || got.right > best.right):
			best = &got
		}
	}
	if valid == 1 {
		r.merge(*fits)
		return
	}
	found := "Found none valid"
	if valid > 0 {
		found = fmt.Sprintf("Found %d valid alternatives", valid)
	}
	r.add(invalid("", "", fmt.Sprintf("%q must validate one and only one schema (oneOf). %s", path, found)))
	if best != nil {
		r.merge(*best)
	}
}

func (p place) items(r *result, l []any, s *Schema, path string) {
	if s.Items != nil {
		for i, e := range l {
			r.merge(p.item(e).value(e, s.Items, path+"["+strconv.Itoa(i)+"]"))
		}
	}
	size := int64(len(l))
	if s.MinItems != nil && size < *s.MinItems {
		r.add(invalid(path, size, fmt.Sprintf("%s in body should have at least %d items", path, *s.MinItems)))
	}
	if s.MaxItems != nil && size > *s.MaxItems {
		r.add(tooMany(path, size, *s.MaxItems, "items"))
	}
	r.right++
}

func tooMany(path string, size, most int64, what string) fault {
	e := field.TooMany("", int(size), int(most))
	return fault{path, e.Type, e.BadValue, e.Detail, fmt.Sprintf("%s in body should have at most %d %s", path, most, what)}
}

func (p place) fields(r *result, m map[string]any, s *Schema, path string) {
	size := int64(len(m))
	if s.MinProperties != nil && size < *s.MinProperties {
		r.add(invalid(path, size, fmt.Sprintf("%s in body should have at least %d properties", path, *s.MinProperties)))
	}
	if s.MaxProperties != nil && size > *s.MaxProperties {
		r.add(tooMany(path, size, *s.MaxProperties, "properties"))
	}
	if s.Closed || s.Additional != nil {
		for _, name := range sortedKeys(m) {
			if s.Properties[name] != nil {
				continue
			}
			if s.Closed {
				r.add(invalid(path, name, fmt.Sprintf("%s.%s in body is a forbidden property", path, name)))
				continue
			}
			r.merge(p.field(name).value(m[name], s.Additional, path+"."+name))
		}
	}
	if len(s.Properties) > 0 {
		for _, name := range sortedKeys(m) {
			if field := s.Properties[name]; field != nil {
				r.merge(p.field(name).value(m[name], field, join(path, name)))
			}
		}
	}
	for _, name := range s.Required {
		if _, ok := m[name]; !ok {
			at := path + "." + name
			r.add(fault{name: at, kind: field.TypeRequired, value: "", message: at + " in body is required"})
		}
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// A check is of a value itself, not of what is in it.
type check struct {
	*Schema
	path string
}

// wrongType says that a value, or its type, is not of a type or format.
func (c check) wrongType(want, value string) fault {
	message := fmt.Sprintf("%s in body must be of type %s: %q", c.path, want, value)
	return fault{c.path, field.TypeWrongType, value, message, message}
}

func (c check) null() (fault, bool) {
	if types := c.types(); len(types) > 0 && !c.Nullable {
		return c.wrongType(commas(types), "null"), false
	}
	return fault{}, true
}

func commas(types []string) string {
	if len(types) == 2 {
		return types[0] + "," + types[1]
	}
	return types[0]
}

// kind checks the type of a value.
func (c check) kind(r *result, v any) {
	types, format := c.types(), c.format()
	name, own := typeOf(v)
	f, isFloat := v.(float64)
	fits := slices.Contains(types, name) ||
		isFloat && whole(f) && slices.Contains(types, "integer") ||
		name == "integer" && slices.Contains(types, "number")
	textual := name == "string" || name == "array"
	numeric := slices.Contains(types, "number") || slices.Contains(types, "integer")
	switch {
	case !textual && format != "" && !fits && own != format:
		r.add(c.wrongType(format, own))
	case !numeric && format != "" && textual, fits:
		r.right++
	case len(types) == 0:
		r.add(c.wrongType("", name))
	default:
		r.add(c.wrongType(commas(types), name))
	}
}

// typeOf is the type of a value and the format that numbers have by themselves.
func typeOf(v any) (name, format string) {
	switch v.(type) {
	case bool:
		return "boolean", ""
	case string:
		return "string", ""
	case int64:
		return "integer", "int64"
	case float64:
		return "number", "float64"
	case []any:
		return "array", ""
	}
	return "object", ""
}

// whole says whether a number can be an integer in JSON.
func whole(f float64) bool { return f == math.Trunc(f) && math.Abs(f) < 1<<53 }

func (c check) text(r *result, v string) {
	runes := int64(-1)
	length := func() int64 {
		if runes < 0 {
			runes = int64(utf8.RuneCountInString(v))
		}
		return runes
	}
	switch {
	case c.MaxLength != nil && length() > *c.MaxLength:
		e := field.TooLong("", int(*c.MaxLength))
		r.add(fault{c.path, e.Type, e.BadValue, e.Detail, fmt.Sprintf("%s in body should be at most %d chars long", c.path, *c.MaxLength)})
	case c.MinLength != nil && length() < *c.MinLength:
		r.add(invalid(c.path, v, fmt.Sprintf("%s in body should be at least %d chars long", c.path, *c.MinLength)))
	case c.Pattern != "" && (c.pattern == nil || !c.pattern.MatchString(v)):
		r.add(invalid(c.path, v, fmt.Sprintf("%s in body should match '%s'", c.path, c.Pattern)))
	}
}

// number checks a number, which is given as it is, as a float and as text.
func (c check) number(r *result, v any, f float64, text string) {
	numeric, format := "", ""
	if types := c.types(); len(types) == 1 && (types[0] == "integer" || types[0] == "number") {
		numeric, format = types[0], c.format()
	}
	var found result
	inRange := func(text, what string) bool {
		if fitsFormat(text, numeric, format) {
			return true
		}
		with := "(default format)"
		if format != "" {
			with = "with format " + format
		}
		found.add(invalid("", "", fmt.Sprintf("%s value must be of type %s %s in %s", what, numeric, with, c.path)))
		return false
	}
	n, isInt := v.(int64)
	inRange(text, "Checked")
	bound := func(b *float64, what string) (native bool, limit any) {
		if inRange(strconv.FormatFloat(*b, 'f', -1, 64), what) && isInt {
			return true, int64(*b)
		}
		return false, *b
	}
	if c.MultipleOf != nil {
		native, factor := bound(c.MultipleOf, "MultipleOf")
		positive, multiple := *c.MultipleOf > 0, false
		var shown any = f
		if native {
			by := factor.(int64)
			positive = by > 0
			multiple, shown = positive && n%by == 0, n
		} else if positive {
			quotient := f / *c.MultipleOf
			if *c.MultipleOf < 1 {
				quotient = 1 / *c.MultipleOf * f
			}
			multiple = nearlyWhole(quotient)
		}
		switch {
		case !positive:
			found.add(invalid(c.path, factor, fmt.Sprintf("factor MultipleOf declared for %s must be positive: %v", c.path, factor)))
		case !multiple:
			found.add(invalid(c.path, shown, fmt.Sprintf("%s in body should be a multiple of %v", c.path, factor)))
		}
	}
	compare := func(b *float64, what string, exclusive bool, sign float64, words string) {
		native, limit := bound(b, what)
		over := sign * (f - *b)
		var shown any = f
		if native {
			over, shown = sign*float64(cmpInt(n, limit.(int64))), n
		}
		if over > 0 || exclusive && over == 0 {
			if !exclusive {
				words += " or equal to"
			}
			found.add(invalid(c.path, shown, fmt.Sprintf("%s in body should be %s %v", c.path, words, limit)))
		}
	}
	maximum := func() {
		if c.Maximum != nil {
			compare(c.Maximum, "Maximum boundary", c.ExclusiveMaximum, 1, "less than")
		}
	}
	if c.Minimum != nil {
		compare(c.Minimum, "Minimum boundary", c.ExclusiveMinimum, -1, "greater than")
	}
	maximum()
	r.merge(found)
	r.right++
}

func cmpInt(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// fitsFormat says whether a number can be of a type and format.
func fitsFormat(text, numeric, format string) bool {
	bits := 64
	if format == "int32" || format == "float" {
		bits = 32
	}
	var err error
	switch {
	case numeric == "integer":
		_, err = strconv.ParseInt(text, 10, bits)
	case format == "float":
		_, err = strconv.ParseFloat(text, bits)
	}
	return err == nil
}

// nearlyWhole says whether a quotient is whole but for what floating point loses.
func nearlyWhole(f float64) bool {
	if math.Abs(f) > 1<<53 {
		return false
	}
	nearest := math.Trunc(f)
	if f == nearest {
		return true
	}
	const epsilon = 1e-9
	return math.Abs(f-nearest)/(math.Abs(f)+math.Abs(nearest)) < epsilon
}

// enum checks that a value is one of those that are allowed.
func (c check) enum(r *result, v any) {
	if len(c.Enum) == 0 {
		return
	}
	for _, allowed := range c.Enum {
		if allowed != nil && v != nil && sameValue(v, allowed) {
			return
		}
	}
	words := make([]string, len(c.Enum))
	for i, allowed := range c.Enum {
		words[i] = word(allowed)
	}
	e := field.NotSupported("", v, words...)
	r.add(fault{c.path, e.Type, v, e.Detail, fmt.Sprintf("%s in body should be one of %v", c.path, c.Enum)})
}

// sameValue compares a value with one of an enum. Numbers are compared as the enum's.
func sameValue(v, allowed any) bool {
	switch allowed := allowed.(type) {
	case int64:
		if f, ok := v.(float64); ok {
			return int64(f) == allowed
		}
	case float64:
		if n, ok := v.(int64); ok {
			return float64(n) == allowed
		}
	}
	return reflect.DeepEqual(v, allowed)
}
