package kinds

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/tabernetes/tabernetes/core/field"
)

// The short names below are for reading trees in rules: each gives the value
// under a key, or the zero value when it is missing or of another type. They may
// be chained: a nil map has nothing in it.

func asMap(v any) map[string]any { m, _ := v.(map[string]any); return m }

func dict(m map[string]any, key string) map[string]any { return asMap(m[key]) }

func list(m map[string]any, key string) []any { l, _ := m[key].([]any); return l }

func str(m map[string]any, key string) string { s, _ := m[key].(string); return s }

func flag(m map[string]any, key string) bool { b, _ := m[key].(bool); return b }

// num also says whether there is a number.
func num(m map[string]any, key string) (n int64, ok bool) { n, ok = m[key].(int64); return n, ok }

func strs(m map[string]any, key string) []string {
	var out []string
	for _, v := range list(m, key) {
		s, _ := v.(string)
		out = append(out, s)
	}
	return out
}

// entries are those of a list of objects, those that are none left out.
func entries(m map[string]any, key string) []map[string]any {
	all := list(m, key)
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

// at walks down maps: deep(obj, "spec.template.metadata").
func deep(m map[string]any, path string) map[string]any {
	for more := true; more && m != nil; {
		var step string
		step, path, more = strings.Cut(path, ".")
		m = dict(m, step)
	}
	return m
}

// sub is the map under key, made if there is none. m must not be nil.
func sub(m map[string]any, key string) map[string]any {
	if child := dict(m, key); child != nil {
		return child
	}
	child := map[string]any{}
	m[key] = child
	return child
}

// def sets a default: only where there is nothing, null or an empty text.
func def(m map[string]any, key string, value any) {
	if v := m[key]; v == nil || v == "" {
		m[key] = value
	}
}

// defNil sets a default where there is nothing: an empty text stays.
func defNil(m map[string]any, key string, value any) {
	if m[key] == nil {
		m[key] = value
	}
}

// anyStrings is a list of texts as trees have it.
func anyStrings(values ...string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// textMap is a map of texts.
func textMap(m map[string]any) map[string]string {
	out := make(map[string]string, len(m))
	for k := range m {
		out[k] = str(m, k)
	}
	return out
}

func printable(r rune) bool { return unicode.IsPrint(r) }

// ordered prints an object in an error as the real server does: the fields in
// the order of its Go struct.
func ordered(m map[string]any, keys ...string) field.Raw {
	var b strings.Builder
	b.WriteByte('{')
	for _, k := range keys {
		v, ok := m[k]
		if !ok {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(jsonText(k) + ":" + jsonText(v))
	}
	b.WriteByte('}')
	return field.Raw(b.String())
}

// goStruct prints an object as the real server prints the structs it has no JSON
// names for: all Go fields in order, the missing ones as null. A field may be
// given its key and its zero value: "APIGroup:apiGroup=0".
func goStruct(m map[string]any, fields ...string) field.Raw {
	texts := make([]string, len(fields))
	for i, f := range fields {
		name, zero, _ := strings.Cut(f, "=")
		name, key, _ := strings.Cut(name, ":")
		if key == "" {
			key = strings.ToLower(name[:1]) + name[1:]
		}
		v, ok := m[key]
		switch {
		case ok && v != nil:
			zero = jsonText(v)
		case zero == "":
			zero = "null"
		}
		texts[i] = jsonText(name) + ":" + zero
	}
	return field.Raw("{" + strings.Join(texts, ",") + "}")
}

// goTree is goStruct for structs within structs: after a field's name comes its
// zero value behind =, or the fields of what it holds, in {} for a struct, *{} for a
// pointer to one and [] for a list of them.
func goTree(m map[string]any, tree string) field.Raw {
	text := "{"
	for tree != "" {
		end := strings.IndexAny(tree+" ", " =*{[")
		name, key, _ := strings.Cut(tree[:end], ":")
		if key == "" {
			key = strings.ToLower(name[:1]) + name[1:]
		}
		v, mark := m[key], strings.TrimPrefix(tree[end:], "*")
		rest, inner := "", ""
		if mark != "" && (mark[0] == '{' || mark[0] == '[') {
			depth := 0
			close := strings.IndexFunc(mark, func(r rune) bool {
				depth += strings.Count("{[", string(r)) - strings.Count("}]", string(r))
				return depth == 0
			})
			inner, rest = mark[1:close], mark[close+1:]
		} else {
			inner, rest, _ = strings.Cut(mark, " ")
		}
		shown := jsonText(v)
		switch {
		case v == nil && strings.HasPrefix(mark, "="):
			shown = inner[1:]
		case mark != "" && mark[0] == '{' && (v != nil || tree[end] != '*'):
			shown = string(goTree(asMap(v), inner))
		case mark != "" && mark[0] == '[' && v != nil:
			l, _ := v.([]any)
			shown = string(goTrees(l, inner))
		}
		if len(text) > 1 {
			text += ","
		}
		text += jsonText(name) + ":" + shown
		tree = strings.TrimPrefix(rest, " ")
	}
	return field.Raw(text + "}")
}

// goTrees is goTree for every entry of a list.
func goTrees(l []any, tree string) field.Raw {
	texts := make([]string, len(l))
	for i, v := range l {
		texts[i] = string(goTree(asMap(v), tree))
	}
	return field.Raw("[" + strings.Join(texts, ",") + "]")
}

// orderedList is ordered for every entry of a list.
func orderedList(l []any, keys ...string) field.Raw {
	texts := make([]string, len(l))
	for i, v := range l {
		texts[i] = string(ordered(asMap(v), keys...))
	}
	return field.Raw("[" + strings.Join(texts, ",") + "]")
}

func jsonText(v any) string {
	if raw, ok := v.(field.Raw); ok {
		return string(raw)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(text)
}
