package structural

// A Schema is a part of a structural schema: the structure of a value, and restrictions. Schemas
// below AllOf, AnyOf, OneOf and Not only restrict.
type Schema struct {
	// Type is object, array, string, integer, number or boolean; empty for values of any type or, with
	// IntOrString, of two.
	Type, Format, Title, Description string
	Nullable                         bool
	// Default replaces a missing value; nil means none.
	Default any

	// Properties are the fields of an object.
	Properties map[string]*Schema
	// Additional is the schema of all other fields, which are then allowed; nil with AllowsAdditional:
	// they are allowed without a schema.
	Additional       *Schema
	AllowsAdditional bool
	// Closed is additionalProperties: false.
	Closed bool
	Items  *Schema

	// The extensions.
	PreserveUnknown, Embedded, IntOrString bool
	ListType, MapType                      string
	ListMapKeys                            []string
	// Rules are the CEL rules as they are written.
	Rules []any

	// The restrictions of values.
	Maximum, Minimum, MultipleOf                                           *float64
	ExclusiveMaximum, ExclusiveMinimum                                     bool
	MaxLength, MinLength, MaxItems, MinItems, MaxProperties, MinProperties *int64
	UniqueItems                                                            bool
	Pattern                                                                string
	Enum                                                                   []any
	Required                                                               []string
	AllOf, AnyOf, OneOf                                                    []*Schema
	Not                                                                    *Schema

	pattern *pattern       // nil if Pattern is invalid
	enum    *enum          // of Enum
	loose   bool           // unknown formats count
	tree    map[string]any // the document of the schema
}

// Tree returns the openAPIV3Schema that the schema was parsed from. It must not be changed.
func (s *Schema) Tree() map[string]any { return s.tree }

// property returns the schema of a field; known reports whether the schema specifies it. With
// additionalProperties it specifies all fields, even if it forbids them.
func (s *Schema) property(name string) (field *Schema, known bool) {
	if p, ok := s.Properties[name]; ok {
		return p, true
	}
	return s.Additional, s.AllowsAdditional || s.Closed
}
