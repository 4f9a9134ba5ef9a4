package openapi

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
)

// join encodes an OpenAPI v2 document in protobuf, in the messages of gnostic's OpenAPIv2.proto, which older
// clients ask for. head has what is neither a type nor a path.
func (e *v2encoder) join(j *joiner, head tree) (Text, error) {
	var text Text
	text.add(e.fields(nil, head, e.document))
	paths := map[string][][]byte{}
	for path, item := range j.paths {
		paths[path] = [][]byte{item}
	}
	j.paths = nil
	addNamed(&text, 8, 2, paths)
	types := map[string][][]byte{}
	for name, t := range j.types {
		types[name] = [][]byte{t.before, nil, t.after}
		if t.kinds != nil {
			types[name][1] = e.schema(tree{kindsKey: t.kinds})
		}
	}
	j.types = nil
	addNamed(&text, 9, 1, types)
	j.fails(e.err)
	return j.end(text)
}

// addNamed appends a message of named entries, whose values are in pieces. The values are gone after that.
func addNamed(to *Text, field, entry uint64, values map[string][][]byte) {
	if len(values) == 0 {
		return
	}
	headers, all := make(map[string][]byte, len(values)), 0
	for name, pieces := range values {
		length := Text(pieces).Len()
		within := appendMessage(nil, 1, []byte(name))
		within = binary.AppendUvarint(binary.AppendUvarint(within, 2<<3|2), uint64(length))
		header := binary.AppendUvarint(binary.AppendUvarint(nil, entry<<3|2), uint64(len(within)+length))
		headers[name] = append(header, within...)
		all += len(headers[name]) + length
	}
	to.add(binary.AppendUvarint(binary.AppendUvarint(nil, field<<3|2), uint64(all)))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		to.add(headers[name])
		to.add(values[name]...)
		delete(values, name)
	}
}

// v2message is OpenAPI v2 in protobuf.
type v2message struct{ *v2encoder }

func (f v2message) schema(s tree) (before, after []byte, err error) {
	first, last := apart(v2Root(s)) // extensions come last in protobuf, too, and in the order of their names
	return f.v2encoder.schema(first), f.v2encoder.schema(last), f.err
}

func (f v2message) path(item tree) ([]byte, error) { return f.fields(nil, v2Path(item), f.item), f.err }

// A v2field describes how the value of a keyword is encoded.
type v2field struct {
	word   string
	number uint64
	write  func(value any) []byte // encodes a message or string; nil: the value is a number or a bool
	many   bool                   // value is a list, and each entry a separate field
}

// v2encoder has the keywords of the messages in the order of their numbers.
type v2encoder struct {
	document, infos, item, operations, schemas   []v2field
	bodyParameter, queryParameter, pathParameter []v2field

	err error
}

func newV2encoder() *v2encoder {
	e := &v2encoder{}
	text := func(word string, number uint64) v2field { return v2field{word, number, e.text, false} }
	texts := func(word string, number uint64) v2field { return v2field{word, number, e.text, true} }
	number := func(word string, number uint64) v2field { return v2field{word: word, number: number} }
	e.document = []v2field{text("swagger", 1), {"info", 2, e.info, false}}
	e.infos = []v2field{text("title", 1), text("version", 2)}
	e.item = []v2field{
		{"get", 2, e.operation, false}, {"put", 3, e.operation, false}, {"post", 4, e.operation, false},
		{"delete", 5, e.operation, false},
		{"options", 6, e.operation, false}, {"head", 7, e.operation, false}, {"patch", 8, e.operation, false},
		{"parameters", 9, e.parameter, true},
	}
	e.operations = []v2field{
		texts("tags", 1), text("description", 3), text("operationId", 5), texts("produces", 6), texts("consumes", 7),
		{"parameters", 8, e.parameter, true}, {"responses", 9, e.responses, false}, texts("schemes", 10),
		number("deprecated", 11), {"x-", 13, nil, false},
	}
	e.schemas = []v2field{
		text("$ref", 1), text("format", 2), text("title", 3), text("description", 4), number("multipleOf", 6),
		number("maximum", 7),
		number("exclusiveMaximum", 8), number("minimum", 9), number("exclusiveMinimum", 10), number("maxLength", 11),
		number("minLength", 12), text("pattern", 13), number("maxItems", 14), number("minItems", 15),
		number("uniqueItems", 16),
		number("maxProperties", 17), number("minProperties", 18), texts("required", 19), {"enum", 20, e.any, true},
		{"additionalProperties", 21, e.additional, false}, {"type", 22, e.wrapped, false},
		{"items", 23, e.wrappedSchema, false}, {"properties", 25, e.namedSchemas, false}, {"x-", 31, nil, false},
	}
	e.bodyParameter = []v2field{text("description", 1), text("name", 2), text("in", 3), number("required", 4),
		{"schema", 5, e.schema, false}}
	e.queryParameter = []v2field{
		number("required", 1), text("in", 2), text("description", 3), text("name", 4), text("type", 6),
		number("uniqueItems", 20),
	}
	e.pathParameter = []v2field{
		number("required", 1), text("in", 2), text("description", 3), text("name", 4), text("type", 5),
		number("uniqueItems", 19),
	}
	return e
}

// fields encodes a message: the keywords in fields, of a tree.
func (e *v2encoder) fields(b []byte, t tree, fields []v2field) []byte {
	for _, f := range fields {
		if f.word == "x-" {
			for _, word := range slices.Sorted(maps.Keys(t)) {
				if strings.HasPrefix(word, "x-") {
					b = appendMessage(b, f.number, named(word, e.any(t[word])))
				}
			}
			continue
		}
		value, ok := t[f.word]
		switch {
		case !ok || value == nil:
		case f.write == nil:
			b = appendNumber(b, f, value)
		case f.many:
			for _, entry := range entries(value) {
				b = appendMessage(b, f.number, f.write(entry))
			}
		default:
			b = appendMessage(b, f.number, f.write(value))
		}
	}
	return b
}

// entries returns the entries of a list of any type in documents.
func entries(value any) []any {
	switch list := value.(type) {
	case []any:
		return list
	case []string:
		return object.ListOf(list)
	}
	return nil
}

func appendMessage(b []byte, number uint64, message []byte) []byte {
	b = binary.AppendUvarint(b, number<<3|2)
	b = binary.AppendUvarint(b, uint64(len(message)))
	return append(b, message...)
}

// reals are the floating point fields; others are integers.
var reals = []string{"multipleOf", "maximum", "minimum"}

func appendNumber(b []byte, f v2field, value any) []byte {
	var n float64
	switch value := value.(type) {
	case bool:
		if value {
			b = append(binary.AppendUvarint(b, f.number<<3), 1)
		}
		return b
	case int64:
		n = float64(value)
	case float64:
		n = value
	}
	if slices.Contains(reals, f.word) {
		return binary.LittleEndian.AppendUint64(binary.AppendUvarint(b, f.number<<3|1), math.Float64bits(n))
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, f.number<<3), uint64(int64(n)))
}

func named(name string, value []byte) []byte {
	return appendMessage(appendMessage(nil, 1, []byte(name)), 2, value)
}

func (e *v2encoder) text(value any) []byte {
	text, _ := value.(string)
	return []byte(text)
}

// any encodes a value of any form, as YAML, which JSON is.
func (e *v2encoder) any(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		e.err = err
	}
	return appendMessage(nil, 2, text)
}

func (e *v2encoder) info(value any) []byte { return e.fields(nil, value.(tree), e.infos) }

func (e *v2encoder) schema(value any) []byte {
	s, _ := value.(tree)
	return e.fields(nil, s, e.schemas)
}

func (e *v2encoder) namedSchemas(value any) (b []byte) {
	list := value.(tree)
	for _, name := range slices.Sorted(maps.Keys(list)) {
		b = appendMessage(b, 1, named(name, e.schema(list[name])))
	}
	return b
}

func (e *v2encoder) additional(value any) []byte {
	if allowed, ok := value.(bool); ok {
		return appendNumber(nil, v2field{number: 2}, allowed)
	}
	return appendMessage(nil, 1, e.schema(value))
}

func (e *v2encoder) wrapped(value any) []byte { return appendMessage(nil, 1, e.text(value)) }

func (e *v2encoder) wrappedSchema(value any) []byte { return appendMessage(nil, 1, e.schema(value)) }

func (e *v2encoder) operation(value any) []byte { return e.fields(nil, value.(tree), e.operations) }

func (e *v2encoder) responses(value any) (b []byte) {
	list := value.(tree)
	for _, code := range slices.Sorted(maps.Keys(list)) {
		r := list[code].(tree)
		response := appendMessage(nil, 1, e.text(r["description"]))
		if r["schema"] != nil {
			response = appendMessage(response, 2, appendMessage(nil, 1, e.schema(r["schema"])))
		}
		b = appendMessage(b, 1, named(code, appendMessage(nil, 1, response)))
	}
	return b
}

func (e *v2encoder) parameter(value any) []byte {
	p := value.(tree)
	var parameter []byte
	switch p["in"] {
	case "body":
		parameter = appendMessage(nil, 1, e.fields(nil, p, e.bodyParameter))
	case "path":
		parameter = appendMessage(nil, 2, appendMessage(nil, 4, e.fields(nil, p, e.pathParameter)))
	default:
		parameter = appendMessage(nil, 2, appendMessage(nil, 3, e.fields(nil, p, e.queryParameter)))
	}
	return appendMessage(nil, 1, parameter)
}
