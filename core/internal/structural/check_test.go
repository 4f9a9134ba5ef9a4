package structural_test

import (
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
)

// tree reads an object in JSON.
var tree = objecttest.Parse

// TestCheck checks the rules for structural schemas.
func TestCheck(t *testing.T) {
	for schema, want := range map[string][]string{
		`{"type":"object"}`: {},
		`{"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"type":"string"}}}}}`: {},
		`{"type":"object","properties":{"a":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},` +
			`{"type":"string"}]}}}`: {},
		`{}`: {"s.type: Required value: must not be empty at the root"},
		`{"type":"array"}`: {"s.items: Required value: must be specified",
			`s.type: Invalid value: "array": must be object at the root`},
		`{"type":"object","additionalProperties":true}`: {"s.additionalProperties: Forbidden: must not be used at the root"},
		`{"type":"object","properties":{"a":{"type":"array","items":{}}}}`: {
			"s.properties[a].items.type: Required value: must not be empty for specified array items"},
		`{"type":"object","properties":{"metadata":{"type":"object","properties":{"labels":{"type":"object"}}}}}`: {
			"s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is " +
				"implicitly specified"},
		`{"type":"object","properties":{"a":{"type":"string","allOf":[{"type":"string","nullable":true}]}}}`: {
			"s.properties[a].allOf[0].nullable: Forbidden: must be false to be structural",
			"s.properties[a].allOf[0].type: Forbidden: must be empty to be structural"},
		`{"type":"object","anyOf":[{"properties":{"a":{"minLength":1}}}]}`: {
			"s.properties[a]: Required value: because it is defined in s.anyOf[0].properties[a]"},
		`{"type":"object","properties":{"a":{"type":"string","x-kubernetes-embedded-resource":true}}}`: {
			"s.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true " +
				"without x-kubernetes-preserve-unknown-fields",
			`s.properties[a].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true`},
		`{"type":"object","properties":{"a":{"type":"string","pattern":"["}}}`: {
			"s.properties[a].pattern: Invalid value: \"[\": must be a valid regular expression, but isn't: error parsing " +
				"regexp: missing closing ]: `[`"},
	} {
		if got := structural.Check(structural.Parse(tree(t, schema)), "s").Texts(); !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", schema, got, want)
		}
	}
}

// TestCheckOpenAPI checks what definitions may not have.
func TestCheckOpenAPI(t *testing.T) {
	for schema, want := range map[string][]string{
		`{"type":"object"}`: {},
		`{"type":"nope"}`: {`s.type: Unsupported value: "nope": supported values: "array", "boolean", "integer", ` +
			`"number", "object", "string"`},
		`{"uniqueItems":true,"$ref":"x"}`: {"s.$ref: Forbidden: $ref is not supported",
			"s.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic"},
		`{"properties":{"a":{"type":"string"}},"additionalProperties":{"type":"string"}}`: {
			"s.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"},
		`{"properties":{"metadata":{"type":"object","default":{}}}}`: {"s.properties[metadata].default: Forbidden: must " +
			"not be set in top-level metadata"},
		`{"x-kubernetes-preserve-unknown-fields":false}`: {"s.x-kubernetes-preserve-unknown-fields: Invalid value: " +
			"false: must be true or undefined"},
		`{"type":"object","x-kubernetes-list-type":"set"}`: {`s.type: Invalid value: "object": must be array if ` +
			`x-kubernetes-list-type is specified`},
		`{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object"}}`: {
			"s.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with " +
				"x-kubernetes-list-type=set"},
		`{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","b"],"items":{"type":"object",` +
			`"properties":{"a":{"type":"string","nullable":true}}}}`: {
			`s.x-kubernetes-list-map-keys: Invalid value: ["a","b"]: entries must all be names of item properties`,
			"s.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have " +
				"a default or be a required property",
			"s.items.properties[a].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, " +
				"so it cannot be nullable"},
		`{"type":"array","x-kubernetes-list-type":"map"}`: {
			"s.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
			"s.items: Required value: must have a schema if x-kubernetes-list-type is map"},
	} {
		if got := structural.CheckOpenAPI(structural.Parse(tree(t, schema)), "s").Texts(); !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", schema, got, want)
		}
	}
}

func TestFieldPath(t *testing.T) {
	s := structural.Parse(tree(t, `{"properties":{"spec":{"properties":{"a.b":{"type":"string"},`+
		`"m":{"additionalProperties":{"type":"integer"}}}}}}`))
	for path, want := range map[string]string{
		".spec.m.x":     "spec.m[x] integer",
		".spec['a.b']":  "spec.a.b string",
		".spec.nope":    "does not refer to a valid field",
		"spec":          "expected [ or . but got: spec",
		".spec.":        "unexpected end of JSON path",
		".spec[a]":      "expected single quoted string but got a",
		".spec['a.b'x]": "expected ] but got x",
	} {
		at, found, err := structural.FieldPath(path, s, true)
		got := string(at)
		if err != nil {
			got = err.Error()
		} else {
			got += " " + found.Type
		}
		if got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if _, _, err := structural.FieldPath(".spec['a.b']", s, false); err == nil ||
		err.Error() != "array notation is not allowed" {
		t.Errorf("brackets: %v", err)
	}
}
