package schema

// Kind is the kind of a Go type in the API: it determines which JSON is accepted, the zero value in
// JSON, and the encoding in protobuf.
type Kind uint8

// The kinds of values.
const (
	Struct  Kind = iota + 1
	Map          // string keys, values of Elem
	List         // a slice of Elem
	String       // any Go string type
	Bool         // any Go bool type
	Int32        // a signed integer of 32 bits
	Int64        // a signed integer of 64 bits
	Float64      // a float of 64 bits
	Bytes        // []byte: base64 in JSON

	// The kinds from here on have their own encodings in Kubernetes.

	Time        // metav1.Time: RFC 3339 in whole seconds, or null
	MicroTime   // metav1.MicroTime: RFC 3339 with six decimals, or null
	Duration    // metav1.Duration: as Go's time.Duration prints
	Quantity    // resource.Quantity: a number with a suffix, in canonical form
	IntOrString // intstr.IntOrString
	Raw         // any JSON, kept as it is (RawExtension, FieldsV1, JSON)
	// several alternatives (JSONSchemaPropsOrBool and the like); Fields has one for each, named as in
	// protobuf
	Union
)

// Type is one type of the API: a Go type in k8s.io/api or a similar package. Types are immutable
// and shared; a recursive type reaches itself through its fields.
type Type struct {
	Kind Kind
	// GoName is the name of the type in Go's reflection ("v1.ObjectMeta", "[]v1.Container",
	// "map[string]string", "int32"), since JSON errors quote it.
	GoName string
	// Name is the OpenAPI definition's name ("io.k8s.api.core.v1.PodSpec"), empty for unnamed types.
	Name string
	// Fields are a struct's fields in Go order, embedded structs flattened.
	Fields []Field
	// Always are the positions of the fields that Go encodes even when they are zero.
	Always []int
	// SizeHint is the approximate number of fields that stored objects have of a struct, if the server
	// sets so many that the map of those sent would have to grow; 0 for most.
	SizeHint int
	// Elem is the type of a list's items and of a map's values.
	Elem *Type
	// Wrapped reports whether protobuf has a message for this list, with the items as field 1.
	Wrapped bool
	// KeepsEmpty marks the structs of the API groups that are stored as JSON or not at all. All others
	// are encoded as protobuf, which cannot distinguish an empty list from none.
	KeepsEmpty bool
	// MapType is "atomic" for a struct that server-side apply owns as a whole.
	MapType string
	// Enum are the declared values of a string type, empty if any is allowed.
	Enum []string

	// places has, for structs with many fields, the position of each field, and -1: that of a name is at its place, or
	// at one of those that follow, before a -1.
	places []int16
}

// Field is one field of a struct.
type Field struct {
	Name string // in JSON
	Type *Type
	// Pointer reports whether the Go field is a pointer: null and the zero value differ.
	Pointer bool
	// OmitEmpty and OmitZero are the JSON tag's options.
	OmitEmpty, OmitZero bool
	// Required comes from OpenAPI.
	Required bool
	// Proto is the field's number in protobuf, 0 if it is not in protobuf.
	Proto int
	// Embeds are the embedded structs, outermost first, that contain the field in Go. JSON does not
	// show them; protobuf nests a message for each that has a number.
	Embeds []Embed
	// PatchMergeKey and PatchStrategy ("merge", "replace", "retainKeys", "merge,retainKeys") determine
	// strategic merge patches.
	PatchMergeKey, PatchStrategy string
	// ListType ("atomic", "set", "map"), MapType ("atomic", "granular") and ListMapKeys determine
	// server-side apply.
	ListType, MapType string
	ListMapKeys       []string
	// Default is the declared default as a tree; nil without one beyond the zero value.
	Default any
}

// Embed is an embedded struct: its Go name, which JSON errors quote, and its number in protobuf.
type Embed struct {
	Name  string
	Proto int
}

// manyFields is the number of fields beyond which places are faster.
const manyFields = 8

// Field returns the struct's field of that JSON name, nil if it has none.
func (t *Type) Field(name string) *Field {
	if i := t.Index(name); i >= 0 {
		return &t.Fields[i]
	}
	return nil
}

// OfKind returns the type of a value of a kind where t may be a Union: of one it is the member of
// that kind, or nil; any other type, or nil, is itself.
func (t *Type) OfKind(kind Kind) *Type {
	if t == nil || t.Kind != Union {
		return t
	}
	for i := range t.Fields {
		if t.Fields[i].Type.Kind == kind {
			return t.Fields[i].Type
		}
	}
	return nil
}

// Index returns the position in Fields of the field of that JSON name, or -1.
func (t *Type) Index(name string) int { return position(t, name) }

// Position is Index for a name in bytes.
func (t *Type) Position(name []byte) int { return position(t, name) }

func position[N string | []byte](t *Type, name N) int {
	if t.places == nil {
		for i := range t.Fields {
			if t.Fields[i].Name == string(name) {
				return i
			}
		}
		return -1
	}
	for at := place(name); ; at++ {
		i := t.places[at&uint(len(t.places)-1)]
		if i < 0 || t.Fields[i].Name == string(name) {
			return int(i)
		}
	}
}

// place returns where the search for a name begins. Few names of a struct agree in their length and in these bytes.
func place[N string | []byte](name N) uint {
	n := uint(len(name))
	if n == 0 {
		return 0
	}
	return n + 5*uint(name[0]) + 17*uint(name[n/2]) + 31*uint(name[n-1])
}

// arrange fills in places, of which there are a power of two.
func (t *Type) arrange() {
	if len(t.Fields) <= manyFields {
		return
	}
	size := 32
	for size < 3*len(t.Fields) {
		size *= 2
	}
	t.places = make([]int16, size)
	for i := range t.places {
		t.places[i] = -1
	}
	for i := range t.Fields {
		at := place(t.Fields[i].Name)
		for t.places[at&uint(size-1)] >= 0 {
			at++
		}
		t.places[at&uint(size-1)] = int16(i)
	}
}

// AlwaysWritten reports whether Go encodes the field even when it is zero: omitempty does nothing
// for structs, which include the types with their own encoding.
func (f *Field) AlwaysWritten() bool {
	if f.OmitZero {
		return false
	}
	return !f.OmitEmpty || !f.Pointer && (f.Type.Kind == Struct || f.Type.Kind >= Time)
}
