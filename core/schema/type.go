package schema

// Kind is the shape of a value as the API's Go types have it: it decides what JSON
// is accepted, which JSON is the zero value, and how the value is written in protobuf.
type Kind uint8

// The kinds of values. Those from Bytes on are written in JSON by code of their own
// in Kubernetes, not by their Go shape.
const (
	Struct      Kind = iota + 1
	Map              // string keys, values of Elem
	List             // a slice of Elem
	String           // any Go string type
	Bool             // any Go bool type
	Int32            // any signed integer of 32 bits
	Int64            // any signed integer of 64 bits
	Float64          // any float of 64 bits
	Bytes            // []byte: base64 in JSON
	Time             // metav1.Time: RFC 3339 in whole seconds, or null
	MicroTime        // metav1.MicroTime: RFC 3339 with six decimals, or null
	Duration         // metav1.Duration: as Go's time.Duration prints
	Quantity         // resource.Quantity: a number with a suffix, in canonical form
	IntOrString      // intstr.IntOrString
	Raw              // any JSON, kept as it is (RawExtension, FieldsV1, apiextensions JSON)
	Union            // several shapes that exclude each other; Fields holds one for each (JSONSchemaPropsOrBool and its like)
)

// Type is one type of the API: a Go type of k8s.io/api and its like. Types are
// immutable and shared; a recursive type reaches itself through its fields.
type Type struct {
	Kind Kind
	// GoName is the type as Go's reflection prints it ("v1.ObjectMeta", "[]v1.Container",
	// "map[string]string", "int32"), since JSON errors quote it.
	GoName string
	// Name is the OpenAPI definition's name ("io.k8s.api.core.v1.PodSpec"), empty for unnamed types.
	Name string
	// Fields are a struct's fields in Go order, embedded structs flattened.
	Fields []Field
	// Elem is the type of a list's items and of a map's values.
	Elem *Type
	// ElemPointer says that the elements are Go pointers: a null element stays null.
	ElemPointer bool
	// Wrapped says that protobuf holds this list in a message of its own, as field 1.
	Wrapped bool
	index   map[string]int // field positions by name, for structs with many fields
}

// Field is one field of a struct.
type Field struct {
	Name string // in JSON
	Type *Type
	// Pointer says that the Go field is a pointer: null and the zero value differ.
	Pointer bool
	// OmitEmpty and OmitZero are the JSON tag's options.
	OmitEmpty, OmitZero bool
	// Required comes from OpenAPI.
	Required bool
	// Proto is the field's number in protobuf; Embed the number of the embedded message
	// that holds it, 0 if the struct's own message does. Proto 0: not in protobuf.
	Proto, Embed int
	// PatchMergeKey and PatchStrategy ("merge", "replace", "retainKeys", "merge,retainKeys") steer strategic merge patch.
	PatchMergeKey, PatchStrategy string
	// ListType ("atomic", "set", "map"), MapType ("atomic", "granular") and ListMapKeys steer server-side apply.
	ListType, MapType string
	ListMapKeys       []string
	// Default is the declared default, nil if there is none.
	Default any
	// Enum are the allowed values of a string, empty if any is.
	Enum []string
}

// Field returns the struct's field of that JSON name, nil if it has none.
func (t *Type) Field(name string) *Field {
	if t.index != nil {
		if i, ok := t.index[name]; ok {
			return &t.Fields[i]
		}
		return nil
	}
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	return nil
}
