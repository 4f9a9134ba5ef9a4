// Package tree reads and changes objects as core/object decodes them: maps, lists and
// values of JSON. Each of its readers gives the value under a key, or the zero value when
// it is missing or of another type, and they may be chained: a nil map has nothing in it.
//
// Reading costs nothing but the lookup; Texts and Objects copy the list.
package tree

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tabernetes/tabernetes/core/object"
)

func Empty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return v == ""
}

// Has reports whether an entry has this text.
func Has(entries []map[string]any, key, text string) bool {
	return slices.ContainsFunc(entries, func(e map[string]any) bool { return Text(e, key) == text })
}

// Mirror keeps a field that became a list in step with its old form, the list's
// first entry.
func Mirror(m map[string]any, one, many string) {
	l := List(m, many)
	switch {
	case m == nil:
	case Text(m, one) == "" && len(l) > 0:
		m[one] = l[0]
	case Text(m, one) != "" && (len(l) == 0 || l[0] != m[one]):
		m[many] = []any{m[one]}
	}
}

func ByName(entries []map[string]any) map[string]map[string]any {
	m := make(map[string]map[string]any, len(entries))
	for _, e := range entries {
		m[Text(e, "name")] = e
	}
	return m
}

// Keep makes a field of obj what it is in old, also if that is nothing. The
// value is a copy.
func Keep(obj, old map[string]any, name string) {
	if v, ok := old[name]; ok {
		obj[name] = object.DeepCopy(v)
	} else {
		delete(obj, name)
	}
}

// The short names below are for reading trees in rules: each gives the value
// under a key, or the zero value when it is missing or of another type. They may
// be chained: a nil map has nothing in it.

func Map(v any) map[string]any { m, _ := v.(map[string]any); return m }

func Object(m map[string]any, key string) map[string]any { return Map(m[key]) }

func List(m map[string]any, key string) []any { l, _ := m[key].([]any); return l }

func Text(m map[string]any, key string) string { s, _ := m[key].(string); return s }

func Bool(m map[string]any, key string) bool { b, _ := m[key].(bool); return b }

// Int also says whether there is a number.
func Int(m map[string]any, key string) (n int64, ok bool) { n, ok = m[key].(int64); return n, ok }

func Texts(m map[string]any, key string) []string {
	var out []string
	for _, v := range List(m, key) {
		s, _ := v.(string)
		out = append(out, s)
	}
	return out
}

// Objects are those of a list of objects, those that are none left out.
func Objects(m map[string]any, key string) []map[string]any {
	all := List(m, key)
	if len(all) == 0 {
		return nil
	}
	out := make([]map[string]any, 0, len(all))
	for _, v := range all {
		if e, ok := v.(map[string]any); ok {
			out = append(out, e)
		}
	}
	return out
}

// At walks down maps: deep(obj, "spec.template.metadata").
func At(m map[string]any, path string) map[string]any {
	for more := true; more && m != nil; {
		var step string
		step, path, more = strings.Cut(path, ".")
		m = Object(m, step)
	}
	return m
}

// Make is the map under key, made if there is none. m must not be nil.
func Make(m map[string]any, key string) map[string]any {
	if child := Object(m, key); child != nil {
		return child
	}
	child := map[string]any{}
	m[key] = child
	return child
}

// Default sets a default: only where there is nothing, null or an empty text.
func Default(m map[string]any, key string, value any) {
	if v := m[key]; v == nil || v == "" {
		m[key] = value
	}
}

// DefaultNil sets a default where there is nothing: an empty text stays.
func DefaultNil(m map[string]any, key string, value any) {
	if m[key] == nil {
		m[key] = value
	}
}

// AnyTexts is a list of texts as trees have it.
func AnyTexts(values ...string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

func SortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// TextMap is a map of texts.
func TextMap(m map[string]any) map[string]string {
	out := make(map[string]string, len(m))
	for k := range m {
		out[k] = Text(m, k)
	}
	return out
}

func Printable(r rune) bool { return unicode.IsPrint(r) }

// Without is a shallow copy that lacks some keys.
func Without(m map[string]any, keys ...string) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	for _, k := range keys {
		delete(out, k)
	}
	return out
}
