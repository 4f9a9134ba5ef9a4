package customresource

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/openapi"
	"github.com/tabernetes/tabernetes/core/schema"
)

// within fails if f allocates more than a number of bytes that grows with the length of what it is about.
func within(t *testing.T, what string, length int, f func()) {
	t.Helper()
	const least, times = 4 << 20, 4000
	if got, most := apitest.Allocated(f), int64(least+times*length); got > most {
		t.Errorf("%s: %d bytes were allocated for %d, more than %d", what, got, length, most)
	}
}

// FuzzDefinition shows a Tracker stored definitions of any form, as a damaged log may have them: it does not
// panic, it allocates in proportion to them, and when they are deleted the table is as before.
func FuzzDefinition(f *testing.F) {
	const established = `"status":{"acceptedNames":{"plural":"things","kind":"Thing","listKind":"ThingList"},
		"conditions":[{"type":"Established","status":"True"}]}`
	for _, text := range []string{
		`{"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","versions":[{"name":"v1","served":true,
			"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"x-kubernetes-validations":[
			{"rule":"self.a"}]}}}},"subresources":{"status":{},"scale":{"specReplicasPath":".spec.n"}},
			"additionalPrinterColumns":[{"name":"a","jsonPath":".a"}],"selectableFields":[{"jsonPath":".a"}]}]},` +
			established + `}`,
		`{"spec":{"versions":[{},{"storage":true},{"served":true,"deprecated":true}]},` + established + `}`,
		`{"spec":{"group":"example.com","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` +
			strings.Repeat(`{"items":`, 100) + `{}` + strings.Repeat(`}`, 100) + `}}]},` + established + `}`,
		strings.Replace(definition(1, 2), `{"type":"string"}`, `{"x-kubernetes-validations":[{"rule":"`+
			strings.Repeat("self.a==1||", 450)+`true","messageExpression":"`+strings.Repeat("'a'+", 8000)+`''"}]}`, 2),
		strings.Replace(definition(1, 1), `{"type":"string"}`, `{"x-kubernetes-validations":[`+
			strings.Repeat(`{"rule":"self.a==1"},`, 2000)+`{}]}`, 1),
		`{"spec":{"versions":[null,1]},` + established + `}`, `{` + established + `}`, `{}`, `{"spec":[]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if object.Check([]byte(text)) != nil {
			return
		}
		table := schema.Builtin()
		before := len(table.Resources())
		tracker := NewTracker(table, structural.Unevaluated{}, 1<<20)
		within(t, "observing", len(text), func() {
			tracker.Observe("a", []byte(text), 1)
			tracker.Observe("b", []byte(text), 1)
		})
		if crd, _, err := object.Decode([]byte(text), schema.TypeOf("apiextensions.k8s.io", "v1",
			"CustomResourceDefinition")); err == nil {
			within(t, "checking", len(text), func() { tracker.Check(t.Context(), crd) })
		}
		tracker.Observe("a", nil, 1)
		tracker.Observe("b", nil, 1)
		if after := len(table.Resources()); after != before || tracker.all != (size{}) || len(tracker.took) != 0 {
			t.Errorf("%d resources instead of %d, %v", after, before, tracker.all)
		}
	})
}

// FuzzDefinitions shows a Tracker many definitions with the same schemas, in one group or in their own groups. What
// is served is within the Tracker's limits, and so are the documents of all of it: making them allocates in proportion
// to them.
func FuzzDefinitions(f *testing.F) {
	for _, text := range []string{
		definition(1, 1), definition(1, 3),
		strings.ReplaceAll(definition(1, 1), `{"spec":{"type":"string"}}`, `{"spec":`+strings.Repeat(`{"items":`, 60)+`{}`+
			strings.Repeat(`}`, 61)),
		strings.ReplaceAll(definition(1, 1), `"type":"object"`, `"type":"object","description":"`+
			strings.Repeat("x", 5000)+`"`),
		`{}`, `{"spec":{"versions":[{}]},"status":{"conditions":[{"type":"Established","status":"True"}]}}`,
	} {
		f.Add(text, uint8(3), false)
		f.Add(text, uint8(40), true)
	}
	f.Fuzz(func(t *testing.T, text string, n uint8, apart bool) {
		if object.Check([]byte(text)) != nil || len(text) > 100_000 {
			return
		}
		table := schema.Builtin()
		before := len(table.Resources())
		tracker := NewTracker(table, structural.Unevaluated{}, 1<<20)
		var values [][]byte
		for i := range int(n) % 64 {
			group := "example.com"
			if apart {
				group = fmt.Sprintf("g%d.example.com", i)
			}
			crd, _, err := object.Decode([]byte(text), schema.TypeOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition"))
			if err != nil {
				return
			}
			object.SetNested(crd, group, "spec", "group")
			for name, value := range map[string]string{"plural": "t%ds", "kind": "T%d", "listKind": "T%dList"} {
				object.SetNested(crd, fmt.Sprintf(value, i), "status", "acceptedNames", name)
			}
			values = append(values, object.Encode(nil, crd, nil))
		}
		within(t, "observing", len(slices.Concat(values...)), func() {
			for i, value := range values {
				tracker.Observe(fmt.Sprint(i), value, 1)
			}
		})
		if all := tracker.all; !all.within(size{tracker.most.memory * 5 / 4, MaxVersions}) {
			t.Errorf("%v are served", all)
		}
		custom := map[string][]*schema.Resource{}
		length := int64(0)
		for _, row := range table.Resources()[before:] {
			custom[row.APIVersion()] = append(custom[row.APIVersion()], row)
			length += openapi.Length(row)
		}
		if most := tracker.all.memory; length > most {
			t.Errorf("documents have %d bytes about types that take %d", length, most)
		}
		within(t, "OpenAPI v3", int(length), func() {
			for _, name := range slices.Sorted(maps.Keys(custom)) {
				rows := custom[name]
				text, err := openapi.V3(openapi.Parts(rows[0].Group, rows[0].Version, "v1", rows), "v1")
				if most := length + 100_000; err != nil || int64(text.Len()) > most {
					t.Errorf("%s: %d bytes, more than %d: %v", name, text.Len(), most, err)
				}
			}
		})
	})
}
