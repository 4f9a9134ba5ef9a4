package object

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/schema"
)

// RawJSON is a JSON value that a tree holds as text. The fields of field managers (FieldsV1) are
// kept so: they are many, they are not sorted by name, and they are rarely read.
type RawJSON string

// MarshalJSON implements json.Marshaler.
func (r RawJSON) MarshalJSON() ([]byte, error) { return json.RawMessage(r).MarshalJSON() }

const (
	managedFieldsEntry = "v1.ManagedFieldsEntry"
	fieldsV1           = "fieldsV1"
)

// An empty list of field managers has a meaning: that there are no managers any more. It stays in
// the tree although Go's encoder would omit it.
const (
	objectMeta    = "v1.ObjectMeta"
	managedFields = "managedFields"
)

// raw reads a value without parsing it.
func (d *decoder) raw() (any, outcome) {
	start := d.pos
	if !d.skip() {
		return nil, failed
	}
	if d.data[start] == 'n' {
		return nil, kept
	}
	return RawJSON(d.data[start:d.pos]), stored
}

func (f frame) isFieldsV1() bool {
	return f.field != nil && f.field.Name == fieldsV1 && f.owner.GoName == managedFieldsEntry
}

// Ordered is an object or a list of JSON of no type (RawExtension), as it was sent, since its fields keep their
// order, and the store keeps the spaces between them, too: whether it changes is seen from the text. Encode writes it
// compactly. Other values of no type, and those in schemas, are trees.
type Ordered string

// MarshalJSON implements json.Marshaler.
func (o Ordered) MarshalJSON() ([]byte, error) { return json.RawMessage(o).MarshalJSON() }

// Parsed returns the tree of an Ordered, and any other value as it is.
func Parsed(v any) any {
	if text, ok := v.(Ordered); ok {
		v, _ = DecodeAny([]byte(text)) // it was decoded before
	}
	return v
}

// Unordered returns a tree with all its Ordered values parsed. The tree itself is not changed; one
// without any is returned as it is.
func Unordered[T any](tree T) T { return without(tree, func(text Ordered) any { return Parsed(text) }) }

// Texts returns a tree with all its Ordered values as strings: two that differ in the order of fields differ. The
// tree itself is not changed; one without any is returned as it is.
func Texts[T any](tree T) T { return without(tree, func(text Ordered) any { return string(text) }) }

func without[T any](tree T, as func(Ordered) any) T {
	v, _ := replaced(tree, as)
	t, _ := v.(T)
	return t
}

// replaced also reports whether there was any.
func replaced(v any, as func(Ordered) any) (_ any, found bool) {
	switch v := v.(type) {
	case Ordered:
		return as(v), true
	case map[string]any:
		changed := v
		for key, e := range v {
			if e, there := replaced(e, as); there {
				if !found {
					changed, found = maps.Clone(v), true
				}
				changed[key] = e
			}
		}
		return changed, found
	case []any:
		changed := v
		for i, e := range v {
			if e, there := replaced(e, as); there {
				if !found {
					changed, found = slices.Clone(v), true
				}
				changed[i] = e
			}
		}
		return changed, found
	}
	return v, false
}

// ordered reads an object or a list of no type.
func (d *decoder) ordered() (any, outcome) {
	start := d.pos
	if !d.skip() || !json.Valid(d.data[start:d.pos]) {
		return nil, failed
	}
	return Ordered(d.data[start:d.pos]), stored
}

// Verbatim returns a tree of which Encode writes the Ordered values as they are. The tree itself is not changed; one
// without any is returned as it is.
func Verbatim[T any](tree T) T { return without(tree, func(text Ordered) any { return RawJSON(text) }) }

// Compact returns JSON without spaces, and with HTML escaped, as all JSON is answered. What is so already is returned
// as it is.
func Compact(text []byte) []byte {
	for i, quoted := 0, false; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c <= ' ' && !quoted, c == '<', c == '>', c == '&', c == 0xe2: // U+2028 and U+2029 begin so
			var compact, escaped bytes.Buffer
			if json.Compact(&compact, text) != nil {
				return text
			}
			json.HTMLEscape(&escaped, compact.Bytes())
			return escaped.Bytes()
		}
	}
	return text
}

// HasOrdered reports whether objects of a type may have Ordered values.
func HasOrdered(t *schema.Type) bool {
	if known, ok := typesOrdered.Load(t); ok {
		return known.(bool)
	}
	has := hasOrdered(t, map[*schema.Type]bool{})
	typesOrdered.Store(t, has)
	return has
}

var typesOrdered sync.Map // *schema.Type: bool

func hasOrdered(t *schema.Type, seen map[*schema.Type]bool) bool {
	switch {
	case t == nil || seen[t] || t.GoName == managedFieldsEntry || strings.HasSuffix(t.GoName, schemaProps):
		return false
	case t.Kind == schema.Raw:
		return true
	}
	seen[t] = true
	for i := range t.Fields {
		if hasOrdered(t.Fields[i].Type, seen) {
			return true
		}
	}
	return hasOrdered(t.Elem, seen)
}

const schemaProps = ".JSONSchemaProps"

// inSchema reports whether the value being read is in a schema.
func (d *decoder) inSchema() bool {
	for _, f := range d.stack {
		if f.owner != nil && strings.HasSuffix(f.owner.GoName, schemaProps) {
			return true
		}
	}
	return false
}
