// Package tree reads and changes objects as core/object decodes them: maps, lists and values of
// JSON. Its readers (Object, List, Text, Bool, Int, ...) return the zero value if something is
// missing or of another type, and may be chained: a nil object is empty.
//
// Reading costs the lookup; Texts and Objects copy the list.
package tree

import (
	"iter"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
)

// Empty reports whether a value is an empty object, list or text. A missing one is not.
func Empty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case object.Emptiness:
		return true
	}
	return v == ""
}

// Has reports whether one of the entries has this text under the key.
func Has(entries []map[string]any, key, text string) bool {
	return slices.ContainsFunc(entries, func(e map[string]any) bool { return Text(e, key) == text })
}

// Mirror synchronizes two fields of which the second, a list, has replaced the first: the old field
// is the first entry of the new one.
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

// ByName returns the entries by their names.
func ByName(entries []map[string]any) map[string]map[string]any {
	m := make(map[string]map[string]any, len(entries))
	for _, e := range entries {
		m[Text(e, "name")] = e
	}
	return m
}

// RoundUp rounds the quantities of m's resource lists of these names up to thousandths, which is the default of
// a ResourceList of core/v1.
func RoundUp(m map[string]any, names ...string) {
	for _, name := range names {
		list := Object(m, name)
		for resource, v := range list {
			if amount, ok := v.(string); ok {
				if rounded := object.RoundUpQuantity(amount, -3); rounded != amount {
					list[resource] = rounded
				}
			}
		}
	}
}

// Keep sets a field of obj to a copy of its value in old, or removes it if old has none.
func Keep(obj, old map[string]any, name string) {
	if v, ok := old[name]; ok {
		obj[name] = object.DeepCopy(v)
	} else {
		delete(obj, name)
	}
}

// Map returns v if it is an object, or nil.
func Map(v any) map[string]any { m, _ := v.(map[string]any); return m }

// Object returns the object under a key.
func Object(m map[string]any, key string) map[string]any { return Map(m[key]) }

// List returns the list under a key.
func List(m map[string]any, key string) []any { l, _ := m[key].([]any); return l }

// Text returns the text under a key.
func Text(m map[string]any, key string) string { s, _ := m[key].(string); return s }

// Bool returns the boolean under a key.
func Bool(m map[string]any, key string) bool { b, _ := m[key].(bool); return b }

// Int returns the number under a key, and whether there is one.
func Int(m map[string]any, key string) (n int64, ok bool) { n, ok = m[key].(int64); return n, ok }

// Texts returns a copy of the list of strings under a key. Other entries are empty strings.
func Texts(m map[string]any, key string) []string {
	var out []string
	for _, v := range List(m, key) {
		s, _ := v.(string)
		out = append(out, s)
	}
	return out
}

// Objects returns a copy of the list of objects under a key, without other entries.
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

// At returns the object at a path of keys, such as "spec.template.metadata".
func At(m map[string]any, path string) map[string]any {
	for more := true; more && m != nil; {
		var step string
		step, path, more = strings.Cut(path, ".")
		m = Object(m, step)
	}
	return m
}

// Value returns the value at a path of keys, such as "spec.template.metadata.labels", or nil.
func Value(m map[string]any, path string) any {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		m, path = At(m, path[:i]), path[i+1:]
	}
	return m[path]
}

// Make returns the object under key, and creates it if none exists. m must not be nil.
func Make(m map[string]any, key string) map[string]any {
	if child := Object(m, key); child != nil {
		return child
	}
	child := map[string]any{}
	m[key] = child
	return child
}

// Default sets a value if none exists: a missing value, null or an empty string.
func Default(m map[string]any, key string, value any) {
	if v := m[key]; v == nil || v == "" {
		m[key] = value
	}
}

// DefaultNil is Default for a value that may be an empty string.
func DefaultNil(m map[string]any, key string, value any) {
	if m[key] == nil {
		m[key] = value
	}
}

// SortedKeys returns the keys of an object in their order.
func SortedKeys(m map[string]any) []string { return sortedKeys(m, make([]string, 0, len(m))) }

// Sorted is SortedKeys for a loop, which allocates nothing for a few keys.
func Sorted(m map[string]any) iter.Seq[string] {
	return func(yield func(string) bool) {
		var few [8]string
		for _, k := range sortedKeys(m, few[:0]) {
			if !yield(k) {
				return
			}
		}
	}
}

// Wrong returns the keys that are wrong, in their order: where none is, nothing is sorted or allocated.
func Wrong(m map[string]any, wrong func(key string) bool) (keys []string) {
	for k := range m {
		if wrong(k) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

func sortedKeys(m map[string]any, keys []string) []string {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Without returns a shallow copy without some keys.
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
