package tree

import (
	"encoding/json"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// Ordered formats an object as errors of the real server do: with the fields in the order of its Go
// struct.
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

// OrderedList is Ordered for every entry of a list.
func OrderedList(l []any, keys ...string) field.Raw {
	texts := make([]string, len(l))
	for i, v := range l {
		texts[i] = string(Ordered(Map(v), keys...))
	}
	return field.Raw("[" + strings.Join(texts, ",") + "]")
}

// JSON returns v as JSON. A field.Raw is JSON already; a value that cannot be encoded gives null.
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
