package openapi

import "github.com/tabernetes/tabernetes/core/schema"

const (
	metaTypes = "io.k8s.apimachinery.pkg.apis.meta.v1."
	anyJSON   = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON"
)

// special are the types with their own encoding. They are referred to by name, as clients
// show that name.
var special = map[schema.Kind]struct {
	name   string
	schema tree
}{
	schema.Time:      {metaTypes + "Time", tree{"type": "string", "format": "date-time"}},
	schema.MicroTime: {metaTypes + "MicroTime", tree{"type": "string", "format": "date-time"}},
	schema.Duration:  {metaTypes + "Duration", tree{"type": "string"}},
	schema.Quantity: {"io.k8s.apimachinery.pkg.api.resource.Quantity",
		tree{"oneOf": []any{tree{"type": "string"}, tree{"type": "number"}}}},
	schema.IntOrString: {"io.k8s.apimachinery.pkg.util.intstr.IntOrString",
		tree{"format": "int-or-string", "oneOf": []any{tree{"type": "integer"}, tree{"type": "string"}}}},
	schema.Raw: {"io.k8s.apimachinery.pkg.runtime.RawExtension", tree{"type": "object"}},
}

// rawFields are the fields with any JSON that are not of the type that other such fields have.
var rawFields = map[string]string{"fieldsV1": metaTypes + "FieldsV1", "default": anyJSON, "example": anyJSON,
	"enum": anyJSON}

// named returns a reference to a type, whose schema make returns when it is first needed. A
// recursive type finds itself.
func (c *components) named(name string, make func() tree) tree {
	if c.schemas[name] == nil && !c.before[name] {
		s := tree{}
		c.schemas[name] = s
		for key, value := range make() {
			s[key] = value
		}
	}
	return tree{"$ref": reference + name}
}

// reference is the prefix of references to types.
const reference = "#/components/schemas/"

// special returns a reference to a type with its own encoding.
func (c *components) special(kind schema.Kind) tree {
	s := special[kind]
	return c.named(s.name, func() tree { return s.schema })
}

// raw returns a reference to the type of a field with any JSON.
func (c *components) raw(field string) tree {
	name := rawFields[field]
	if name == "" {
		return c.special(schema.Raw)
	}
	s := tree{}
	if name != anyJSON {
		s["type"] = "object"
	}
	return c.named(name, func() tree { return s })
}
