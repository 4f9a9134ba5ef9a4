package wire

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/schema"
)

// An encoding says how the value of a protobuf field is read.
type encoding byte

// The encodings of values.
const (
	unknown encoding = iota
	aString
	aBool
	aSigned32
	aSigned64
	aFloat
	someBytes
	someJSON // or an object with an envelope
	aMessage
)

// A field is a field of a protobuf message, as far as it is known.
type field struct {
	name     string
	encoding encoding
	in       fields      // of a message
	kind     schema.Kind // of a message that stands for a time or a duration
}

// fields finds the fields of a message by their numbers. nil knows none.
type fields func(number uint64) field

func (f fields) get(number uint64) field {
	if f == nil {
		return field{}
	}
	return f(number)
}

// fieldsOf returns the fields of a built-in type's message.
func fieldsOf(m *schema.Message) fields {
	return func(number uint64) field {
		switch f := m.ByNumber(number); {
		case f == nil:
			return field{}
		case f.Embed != nil:
			return field{name: strings.ToLower(f.EmbedName[:1]) + f.EmbedName[1:], encoding: aMessage, in: fieldsOf(f.Embed)}
		default:
			return fieldOf(f.Field.Name, f.Field.Type)
		}
	}
}

// fieldOf returns a field of a type. A list is so many fields of the same number, unless
// it is wrapped.
func fieldOf(name string, t *schema.Type) field {
	f := field{name: name, kind: t.Kind}
	switch t.Kind {
	case schema.Struct, schema.Union:
		f.encoding, f.in = aMessage, fieldsOf(schema.MessageOf(t))
	case schema.List:
		if !t.Wrapped {
			return fieldOf(name, t.Elem)
		}
		f.encoding, f.in = aMessage, listed(fieldOf("items", t.Elem))
	case schema.Map:
		f.encoding, f.in = aMessage, entryOf(t)
	case schema.String:
		f.encoding = aString
	case schema.Bool:
		f.encoding = aBool
	case schema.Int32:
		f.encoding = aSigned32
	case schema.Int64:
		f.encoding = aSigned64
	case schema.Float64:
		f.encoding = aFloat
	case schema.Bytes:
		f.encoding = someBytes
	default:
		f.encoding, f.in = aMessage, listed(special[t.Kind]...)
	}
	return f
}

// entryOf returns the fields of an entry of a map. A list in a map is always wrapped.
func entryOf(t *schema.Type) fields {
	value := fieldOf("value", t.Elem)
	if t.Elem.Kind == schema.List {
		value = field{name: "value", encoding: aMessage, in: listed(fieldOf("items", t.Elem.Elem))}
	}
	return listed(field{name: "key", encoding: aString}, value)
}

// listed returns fields with the numbers from 1 on.
func listed(all ...field) fields {
	return func(number uint64) field {
		if number == 0 || number > uint64(len(all)) {
			return field{}
		}
		return all[number-1]
	}
}

// special are the messages of the types that JSON has no object for, as
// k8s.io/apimachinery's generated.proto names their fields.
var special = map[schema.Kind][]field{
	schema.Time:      {{name: "seconds", encoding: aSigned64}, {name: "nanos", encoding: aSigned32}},
	schema.MicroTime: {{name: "seconds", encoding: aSigned64}, {name: "nanos", encoding: aSigned32}},
	schema.Duration:  {{name: "duration", encoding: aSigned64}},
	schema.Quantity:  {{name: "string", encoding: aString}},
	schema.IntOrString: {{name: "type", encoding: aSigned64}, {name: "intVal", encoding: aSigned32},
		{name: "strVal", encoding: aString}},
	schema.Raw: {{name: "raw", encoding: someJSON}},
}

// typeMeta are the fields of a runtime.TypeMeta.
var typeMeta = listed(field{name: "apiVersion", encoding: aString}, field{name: "kind", encoding: aString})

// envelope returns the fields of a runtime.Unknown that holds an object of a type, nil
// for one that is not built in.
func envelope(t *schema.Type, contentType string) fields {
	raw := field{name: "raw"}
	switch {
	case contentType == "application/json":
		raw.encoding = someJSON
	case t != nil:
		raw.encoding, raw.in = aMessage, fieldsOf(schema.MessageOf(t))
	}
	return listed(
		field{name: "typeMeta", encoding: aMessage, in: typeMeta}, raw,
		field{name: "contentEncoding", encoding: aString}, field{name: "contentType", encoding: aString},
	)
}

// typeOf returns the type of a kind, nil if it is not built in.
func typeOf(apiVersion, kind string) *schema.Type {
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok {
		group, version = "", apiVersion
	}
	return schema.TypeOf(group, version, kind)
}
