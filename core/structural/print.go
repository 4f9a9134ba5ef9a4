package structural

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/field"
)

// A printer formats a value of a schema for errors.
type printer func(b *strings.Builder, v any)

// A shownField is a field of a schema in errors.
type shownField struct {
	name, key string
	print     printer
}

// shown returns the fields of a schema in the order of errors, with their names in the real
// server's internal types.
func shown() []shownField {
	made.Do(func() { made.fields = shownFields() })
	return made.fields
}

var made struct {
	sync.Once
	fields []shownField
}

func shownFields() (all []shownField) {
	for _, f := range []struct {
		names string
		print printer
	}{
		{"ID:id Schema:$schema", value(`""`)}, {"Ref:$ref", value("null")}, {"Description Type", value(`""`)},
		{"Nullable", value("false")},
		{"Format Title", value(`""`)}, {"Default Maximum", value("null")}, {"ExclusiveMaximum", value("false")},
		{"Minimum", value("null")},
		{"ExclusiveMinimum", value("false")}, {"MaxLength MinLength", value("null")}, {"Pattern", value(`""`)},
		{"MaxItems MinItems", value("null")},
		{"UniqueItems", value("false")}, {"MultipleOf Enum MaxProperties MinProperties Required", value("null")},
		{"Items", printItems},
		{"AllOf OneOf AnyOf", printSchemas}, {"Not", printSchema}, {"Properties", printMap},
		{"AdditionalProperties", printAdditional},
		{"PatternProperties", printMap}, {"Dependencies", mapOf(printDependency)}, {"AdditionalItems", printAdditional},
		{"Definitions", printMap},
		{"ExternalDocs", fieldsOf("Description", "URL:url")},
		{"Example XPreserveUnknownFields:x-kubernetes-preserve-unknown-fields", value("null")},
		{"XEmbeddedResource:x-kubernetes-embedded-resource XIntOrString:x-kubernetes-int-or-string", value("false")},
		{"XListMapKeys:x-kubernetes-list-map-keys XListType:x-kubernetes-list-type XMapType:x-kubernetes-map-type",
			value("null")},
		{"XValidations:x-kubernetes-validations",
			listOf(fieldsOf("Rule", "Message", "MessageExpression", "Reason=null", "FieldPath", "OptionalOldSelf=null"))},
	} {
		for _, name := range strings.Fields(f.names) {
			name, key := nameAndKey(name)
			all = append(all, shownField{name, key, f.print})
		}
	}
	return all
}

// nameAndKey parses "Name:key"; the key may be omitted if it is the name.
func nameAndKey(text string) (name, key string) {
	name, key, _ = strings.Cut(text, ":")
	if key == "" {
		key = strings.ToLower(name[:1]) + name[1:]
	}
	return name, key
}

// Printed returns a schema, as it is written, in the format of errors.
func Printed(tree map[string]any) field.Raw {
	var b strings.Builder
	printSchema(&b, tree)
	return field.Raw(b.String())
}

// FieldBut returns the first field of a schema, in the order of errors, that is set and not among
// the named ones; empty if there is none.
func (s *Schema) FieldBut(names []string) string {
	for _, f := range shown() {
		optional := f.key == "additionalProperties" || f.key == "additionalItems"
		if v := s.tree[f.key]; v != nil && v != "" && (v != false || optional) && !slices.Contains(names, f.name) {
			return f.name
		}
	}
	return ""
}

func printedItems(list []any) field.Raw {
	var b strings.Builder
	printItems(&b, list)
	return field.Raw(b.String())
}

func value(zero string) printer {
	return func(b *strings.Builder, v any) {
		text, err := json.Marshal(v)
		if v == nil || err != nil {
			text = []byte(zero)
		}
		b.Write(text)
	}
}

// separate begins the entry i of a list.
func separate(b *strings.Builder, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}

func printSchema(b *strings.Builder, v any) {
	tree, _ := v.(map[string]any)
	if tree == nil {
		b.WriteString("null")
		return
	}
	b.WriteByte('{')
	for i, f := range shown() {
		separate(b, i)
		b.WriteString(strconv.Quote(f.name) + ":")
		f.print(b, tree[f.key])
	}
	b.WriteByte('}')
}

func printSchemas(b *strings.Builder, v any) { listOf(printSchema)(b, v) }

func listOf(print printer) printer {
	return func(b *strings.Builder, v any) {
		list, _ := v.([]any)
		if list == nil {
			b.WriteString("null")
			return
		}
		b.WriteByte('[')
		for i, e := range list {
			separate(b, i)
			print(b, e)
		}
		b.WriteByte(']')
	}
}

func printMap(b *strings.Builder, v any) { mapOf(printSchema)(b, v) }

func mapOf(print printer) printer {
	return func(b *strings.Builder, v any) {
		m, _ := v.(map[string]any)
		if m == nil {
			b.WriteString("null")
			return
		}
		b.WriteByte('{')
		for i, name := range sortedKeys(m) {
			separate(b, i)
			value("")(b, name)
			b.WriteByte(':')
			print(b, m[name])
		}
		b.WriteByte('}')
	}
}

func printDependency(b *strings.Builder, v any) {
	b.WriteString(`{"Schema":`)
	printSchema(b, v)
	if _, isSchema := v.(map[string]any); isSchema {
		v = nil
	}
	b.WriteString(`,"Property":`)
	value("null")(b, v)
	b.WriteByte('}')
}

func printItems(b *strings.Builder, v any) {
	if v == nil {
		b.WriteString("null")
		return
	}
	b.WriteString(`{"Schema":`)
	printSchema(b, v)
	b.WriteString(`,"JSONSchemas":`)
	printSchemas(b, v)
	b.WriteByte('}')
}

func printAdditional(b *strings.Builder, v any) {
	if v == nil {
		b.WriteString("null")
		return
	}
	b.WriteString(`{"Allows":` + strconv.FormatBool(v != false) + `,"Schema":`)
	printSchema(b, v)
	b.WriteByte('}')
}

// fieldsOf formats an object with these fields, each as "Name:key=zero".
func fieldsOf(fields ...string) printer {
	return func(b *strings.Builder, v any) {
		tree, _ := v.(map[string]any)
		if tree == nil {
			b.WriteString("null")
			return
		}
		b.WriteByte('{')
		for i, f := range fields {
			f, zero, ok := strings.Cut(f, "=")
			if !ok {
				zero = `""`
			}
			name, key := nameAndKey(f)
			separate(b, i)
			b.WriteString(strconv.Quote(name) + ":")
			value(zero)(b, tree[key])
		}
		b.WriteByte('}')
	}
}
