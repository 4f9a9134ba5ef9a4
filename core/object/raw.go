package object

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
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

// Ordered is an object or a list of JSON of no type (RawExtension), as text, since its fields keep their
// order. Other values of no type, and those in schemas, are trees.
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
func Unordered[T any](tree T) T {
	v, _ := unordered(tree)
	t, _ := v.(T)
	return t
}

// unordered also reports whether there was any.
func unordered(v any) (_ any, found bool) {
	switch v := v.(type) {
	case Ordered:
		return Parsed(v), true
	case map[string]any:
		changed := v
		for key, e := range v {
			if e, there := unordered(e); there {
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
			if e, there := unordered(e); there {
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

// ordered reads an object or a list of no type. HTML is escaped in it as in all JSON.
func (d *decoder) ordered() (any, outcome) {
	start := d.pos
	if !d.skip() {
		return nil, failed
	}
	var compact, escaped bytes.Buffer
	if err := json.Compact(&compact, d.data[start:d.pos]); err != nil {
		return nil, failed
	}
	json.HTMLEscape(&escaped, compact.Bytes())
	return Ordered(escaped.String()), stored
}

// inSchema reports whether the value being read is in a schema.
func (d *decoder) inSchema() bool {
	for _, f := range d.stack {
		if f.owner != nil && strings.HasSuffix(f.owner.GoName, ".JSONSchemaProps") {
			return true
		}
	}
	return false
}
