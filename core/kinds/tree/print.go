package tree

import (
	"encoding/json"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
)

// GoStructs prints a list of objects, each by print. A missing list is nil.
func GoStructs(m map[string]any, name string, print func(map[string]any) field.Raw) any {
	if m[name] == nil {
		return nil
	}
	texts := []string{}
	for _, e := range Objects(m, name) {
		texts = append(texts, string(print(e)))
	}
	return field.Raw("[" + strings.Join(texts, ",") + "]")
}

// Ordered prints an object as it stands in errors of the real server: with the fields
// in the order of its Go struct.
func Ordered(m map[string]any, keys ...string) field.Raw {
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
		b.WriteString(JSON(k) + ":" + JSON(v))
	}
	b.WriteByte('}')
	return field.Raw(b.String())
}

// GoStruct prints an object as the real server prints the structs it has no JSON
// names for: with all Go fields in their order, the missing ones as null. A field may
// be given its key and its zero value: "APIGroup:apiGroup=0".
func GoStruct(m map[string]any, fields ...string) field.Raw {
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
			zero = JSON(v)
		case zero == "":
			zero = "null"
		}
		texts[i] = JSON(name) + ":" + zero
	}
	return field.Raw("{" + strings.Join(texts, ",") + "}")
}

// GoTree is GoStruct for structs within structs: after a field's name comes its zero
// value behind =, or the fields of what it holds: in {} for a struct, in *{} for a
// pointer to one, in [] for a list of them.
func GoTree(m map[string]any, shape string) field.Raw {
	text := "{"
	for shape != "" {
		end := strings.IndexAny(shape+" ", " =*{[")
		name, key, _ := strings.Cut(shape[:end], ":")
		if key == "" {
			key = strings.ToLower(name[:1]) + name[1:]
		}
		v, mark := m[key], strings.TrimPrefix(shape[end:], "*")
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
		shown := JSON(v)
		switch {
		case v == nil && strings.HasPrefix(mark, "="):
			shown = inner[1:]
		case mark != "" && mark[0] == '{' && (v != nil || shape[end] != '*'):
			shown = string(GoTree(Map(v), inner))
		case mark != "" && mark[0] == '[' && v != nil:
			l, _ := v.([]any)
			shown = string(GoTrees(l, inner))
		}
		if len(text) > 1 {
			text += ","
		}
		text += JSON(name) + ":" + shown
		shape = strings.TrimPrefix(rest, " ")
	}
	return field.Raw(text + "}")
}

// GoTrees is GoTree for every entry of a list.
func GoTrees(l []any, shape string) field.Raw {
	texts := make([]string, len(l))
	for i, v := range l {
		texts[i] = string(GoTree(Map(v), shape))
	}
	return field.Raw("[" + strings.Join(texts, ",") + "]")
}

// OrderedList is Ordered for every entry of a list.
func OrderedList(l []any, keys ...string) field.Raw {
	texts := make([]string, len(l))
	for i, v := range l {
		texts[i] = string(Ordered(Map(v), keys...))
	}
	return field.Raw("[" + strings.Join(texts, ",") + "]")
}

// JSON returns v as JSON. A field.Raw is JSON already; what cannot be written is null.
func JSON(v any) string {
	if raw, ok := v.(field.Raw); ok {
		return string(raw)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(text)
}
