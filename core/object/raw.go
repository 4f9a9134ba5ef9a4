package object

import "encoding/json"

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
