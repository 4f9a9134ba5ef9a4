package customresource

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/structural"
)

// FuzzDefinition shows a Tracker stored definitions of any form, as a damaged log may have them: it does not
// panic, and when they are deleted the table is as before.
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
		`{"spec":{"versions":[null,1]},` + established + `}`, `{` + established + `}`, `{}`, `{"spec":[]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if object.TooDeep([]byte(text)) {
			return
		}
		table := schema.Builtin()
		before := len(table.Resources())
		tracker := NewTracker(table, structural.Unevaluated{}, 1<<20)
		tracker.Observe("a", []byte(text))
		tracker.Observe("b", []byte(text))
		if crd, _, err := object.Decode([]byte(text), schema.TypeOf("apiextensions.k8s.io", "v1",
			"CustomResourceDefinition")); err == nil {
			tracker.Check(crd)
		}
		tracker.Observe("a", nil)
		tracker.Observe("b", nil)
		if after := len(table.Resources()); after != before || tracker.all != 0 || len(tracker.took) != 0 {
			t.Errorf("%d resources instead of %d, %d bytes", after, before, tracker.all)
		}
	})
}
