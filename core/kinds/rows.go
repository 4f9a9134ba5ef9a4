package kinds

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
)

// rows say what the parts of an object must be, in the order in which they are
// checked: rules as data, for kinds that have many of the same few forms.
type rows []row

// A row is about one value.
type row struct {
	// key is where the value is, in words with dots between, and [] after them if it is
	// a list; empty: the object itself.
	key string
	// is what the value must be: words with bars between, which see rows.word. A word
	// that ends the checks of a value also keeps the rest of the row from it.
	is string
	// of are the rows of the object, or of each entry of the list.
	of rows
	// and is what rows cannot say. root is what check was called with.
	and func(root map[string]any, v any, at field.Path) field.ErrorList
}

// check says what is wrong with an object.
func (rs rows) check(root map[string]any, at field.Path) field.ErrorList {
	return rs.within(root, root, at)
}

func (rs rows) within(root map[string]any, v any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range rs {
		r, x, p := &rs[i], v, at
		for _, key := range strings.Split(strings.TrimSuffix(r.key, "[]"), ".") {
			if key != "" {
				x, p = asMap(x)[key], p.Child(key)
			}
		}
		errs.Add(r.value(root, x, p)...)
	}
	return errs
}

func (r *row) value(root map[string]any, v any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	unique := "-"
	for _, word := range strings.Split(r.is, "|") {
		word, arg, _ := strings.Cut(word, ":")
		if word == "unique" {
			unique = arg
			continue
		}
		wrong, ends := checkWord(word, arg, v, at)
		errs.Add(wrong...)
		if ends {
			return errs
		}
	}
	if r.and != nil {
		errs.Add(r.and(root, v, at)...)
	}
	if !strings.HasSuffix(r.key, "[]") {
		return append(errs, r.of.within(root, v, at)...)
	}
	entries, _ := v.([]any)
	for i, e := range entries {
		errs.Add(r.of.within(root, e, at.Index(i))...)
	}
	if unique != "-" {
		errs.Add(duplicates(entries, unique, at)...)
	}
	return errs
}

// duplicates finds the entries whose text, or text under a key, an earlier one has.
func duplicates(entries []any, key string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	var before seen[string]
	for i, e := range entries {
		text, _ := e.(string)
		if key != "" {
			text = str(asMap(e), key)
		}
		if before.again(text) {
			errs.Add(field.Duplicate(at.Index(i), text))
		}
	}
	return errs
}

// checkWord checks one word of a row:
//
//	opt            nothing or an empty text ends the checks
//	set            nothing ends the checks
//	need:TEXT      nothing, an empty text or list is an error that ends them
//	have:TEXT      nothing is an error that ends them
//	selector       a selector of labels
//	in:A,B         a text that is one of some
//	size:N         a list of at most N entries; a longer one ends the checks
//	bytes:N        a text of at most N bytes
//	over:N:TEXT    a number greater than N; a missing one is 0
//	upto:N:TEXT    a number not greater than N
//	within:N:M     a number from N to M
//	alone:WHAT     a list with * has nothing else
//	unique:KEY     a list whose entries differ in KEY
//
// or one of textForms.
func checkWord(word, arg string, v any, at field.Path) (errs field.ErrorList, ends bool) {
	text, _ := v.(string)
	n, _ := v.(int64)
	l, isList := v.([]any)
	empty := v == nil || v == "" || isList && len(l) == 0
	number, detail, _ := strings.Cut(arg, ":")
	limit, _ := strconv.Atoi(number)
	switch word {
	case "":
	case "opt":
		return nil, empty
	case "set":
		return nil, v == nil
	case "need":
		if empty {
			return field.ErrorList{field.Required(at, arg)}, true
		}
	case "have":
		if v == nil {
			return field.ErrorList{field.Required(at, arg)}, true
		}
	case "selector":
		errs = validateLabelSelector(asMap(v), at)
	case "in":
		if supported := strings.Split(arg, ","); !slices.Contains(supported, text) {
			errs.Add(field.NotSupported(at, text, supported...))
		}
	case "size":
		if len(l) > limit {
			return field.ErrorList{field.TooMany(at, len(l), limit)}, true
		}
	case "bytes":
		if len(text) > limit {
			errs.Add(field.TooLong(at, limit))
		}
	case "over":
		if n <= int64(limit) {
			errs.Add(field.Invalid(at, n, detail))
		}
	case "upto":
		if n > int64(limit) {
			errs.Add(field.Invalid(at, n, detail))
		}
	case "within":
		if high, _ := strconv.Atoi(detail); n < int64(limit) || n > int64(high) {
			errs.Add(field.Invalid(at, n, syntax.Between(limit, high)))
		}
	case "alone":
		if len(l) > 1 && slices.Contains(l, any("*")) {
			errs.Add(field.Invalid(at, v, "if '*' is present, must not specify other "+arg))
		}
	default:
		errs = validateForm(word, text, at)
	}
	return errs, false
}

// validateForm checks a text that must have one of textForms.
func validateForm(form, text string, at field.Path) field.ErrorList {
	return invalid(at, text, textForms[form](text))
}
