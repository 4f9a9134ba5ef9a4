package structural

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// A printer formats a value of a schema for errors.
type printer func(b *strings.Builder, v any)

// A shownField is a field of a schema in errors.
type shownField struct {
	name, key, zero string // zero is null for pointers, which "" and false do set
	print           printer
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
		names, zero string
		print       printer // of fields that have no zero
	}{
		{"ID:id Schema:$schema", `""`, nil}, {"Ref:$ref", "null", nil}, {"Description Type", `""`, nil},
		{"Nullable", "false", nil},
		{"Format Title", `""`, nil}, {"Default Maximum", "null", nil}, {"ExclusiveMaximum", "false", nil},
		{"Minimum", "null", nil},
		{"ExclusiveMinimum", "false", nil}, {"MaxLength MinLength", "null", nil}, {"Pattern", `""`, nil},
		{"MaxItems MinItems", "null", nil},
		{"UniqueItems", "false", nil}, {"MultipleOf Enum MaxProperties MinProperties Required", "null", nil},
		{"Items", "", printItems},
		{"AllOf OneOf AnyOf", "", printSchemas}, {"Not", "", printSchema}, {"Properties", "", printMap},
		{"AdditionalProperties", "", printAdditional},
		{"PatternProperties", "", printMap}, {"Dependencies", "", mapOf(printDependency)},
		{"AdditionalItems", "", printAdditional},
		{"Definitions", "", printMap},
		{"ExternalDocs", "", fieldsOf("Description", "URL:url")},
		{"Example XPreserveUnknownFields:x-kubernetes-preserve-unknown-fields", "null", nil},
		{"XEmbeddedResource:x-kubernetes-embedded-resource XIntOrString:x-kubernetes-int-or-string", "false", nil},
		{"XListMapKeys:x-kubernetes-list-map-keys XListType:x-kubernetes-list-type XMapType:x-kubernetes-map-type",
			"null", nil},
		{"XValidations:x-kubernetes-validations", "",
			listOf(fieldsOf("Rule", "Message", "MessageExpression", "Reason=null", "FieldPath", "OptionalOldSelf=null"))},
	} {
		if f.print == nil {
			f.print = value(f.zero)
		}
		for _, name := range strings.Fields(f.names) {
			name, key := nameAndKey(name)
			all = append(all, shownField{name, key, f.zero, f.print})
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
// the named ones, or an empty text.
func (s *Schema) FieldBut(names []string) string {
	for _, f := range shown() {
		v := s.tree[f.key]
		unset := v == nil || v == "" && f.zero == `""` || v == false && f.zero == "false"
		if !unset && !slices.Contains(names, f.name) {
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
		list, ok := v.([]any)
		if !ok { // null, or a list that was given as empty
			value("null")(b, v)
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
		m, ok := v.(map[string]any)
		if !ok {
			value("null")(b, v)
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
	if _, one := v.(map[string]any); one {
		v = nil
	}
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
