package managedfields

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
	"github.com/tabernetes/tabernetes/core/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// TestCustomParser checks the ownership of fields of custom resources.
func TestCustomParser(t *testing.T) {
	for name, test := range map[string]struct{ schema, object, owned, refused string }{
		"structs": {
			schema: `{"properties":{"spec":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"object"}}}}}`,
			object: `{"spec":{"a":1,"b":{"c":{"d":1}}}}`, owned: `{"f:spec":{"f:a":{},"f:b":{"f:c":{".":{},"f:d":{}}}}}`,
		},
		"unknown": {schema: `{"properties":{"spec":{"type":"object"}}}`, object: `{"other":1}`,
			refused: ".other: field not declared in schema"},
		"unknown at root": {schema: `{"x-kubernetes-preserve-unknown-fields":true}`, object: `{"other":{"a":1}}`,
			owned: `{"f:other":{".":{},"f:a":{}}}`},
		"nothing but metas": {schema: `{}`, object: `{"metadata":{"labels":{"a":"b"}}}`,
			owned: `{"f:metadata":{"f:labels":{"f:a":{}}}}`},
		"unknown below": {
			schema: `{"properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true,` +
				`"properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}}}`,
			object: `{"spec":{"a":{"c":[1]}}}`, owned: `{"f:spec":{"f:a":{"f:c":{}}}}`,
		},
		"maps": {
			schema: `{"properties":{"a":{"type":"object","additionalProperties":{"type":"object",` +
				`"x-kubernetes-map-type":"atomic"}},"b":{"type":"object","additionalProperties":true}}}`,
			object: `{"a":{"x":{"y":1}},"b":{"x":{"y":1}}}`, owned: `{"f:a":{"f:x":{}},"f:b":{"f:x":{".":{},"f:y":{}}}}`,
		},
		"lists": {
			schema: `{"properties":{"a":{"type":"array","items":{"type":"string"}},
				"s":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
				"m":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["p","q"],
					"items":{"type":"object",
					"properties":{"p":{"type":"integer"},"q":{"type":"string","default":"TCP"}}}}}}`,
			object: `{"a":["x"],"s":["x"],"m":[{"p":1}]}`,
			owned:  `{"f:a":{},"f:m":{"k:{\"p\":1,\"q\":\"TCP\"}":{".":{},"f:p":{}}},"f:s":{"v:\"x\"":{}}}`,
		},
		"wrong type": {schema: `{"properties":{"a":{"type":"integer"}}}`, object: `{"a":"b"}`,
			refused: ".a: expected numeric (int or float), got string"},
		"with format": {schema: `{"properties":{"a":{"type":"string","format":"date"},` +
			`"b":{"x-kubernetes-int-or-string":true}}}`, object: `{"a":1,"b":1}`, owned: `{"f:a":{},"f:b":{}}`},
		"embedded": {
			schema: `{"properties":{"a":{"type":"object","x-kubernetes-embedded-resource":true,` +
				`"properties":{"spec":{"type":"object"}}}}}`,
			object: `{"a":{"kind":"K","metadata":{"name":"n"}}}`, owned: `{"f:a":{"f:kind":{},"f:metadata":{"f:name":{}}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			row := &schema.Resource{Custom: &schema.Custom{Schema: structural.Parse(objecttest.Parse(t, test.schema))}}
			v, err := parserOf(row).FromUnstructured(objecttest.Parse(t, test.object), typed.AllowDuplicates)
			if err != nil {
				if err.Error() != test.refused {
					t.Fatalf("got %v, want %q", err, test.refused)
				}
				return
			}
			set, err := v.ToFieldSet()
			if err != nil {
				t.Fatal(err)
			}
			text, err := set.ToJSON()
			if err != nil || string(text) != test.owned {
				t.Errorf("got %s %v\nwant %s%s", text, err, test.owned, test.refused)
			}
		})
	}
}
