package openapi

import (
	"encoding/json"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
	"github.com/tabernetes/tabernetes/core/schema"
)

func customRow(t *testing.T, text string) *schema.Resource {
	return &schema.Resource{
		Group: "stable.example.com", Version: "v1", Plural: "crontabs", Kind: "CronTab", ListKind: "CronTabList",
		Verbs:  []string{"get", "list", "create"},
		Custom: &schema.Custom{Schema: structural.Parse(objecttest.Parse(t, text)), Selectable: []string{"spec.a"}},
	}
}

// TestCustomDocument checks the documents of custom resources.
func TestCustomDocument(t *testing.T) {
	row := customRow(t, `{"type":"object","properties":{"spec":{"type":"object","properties":{
		"a":{"x-kubernetes-int-or-string":true},
		"b":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
		"c":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}}}}`)
	table := schema.Builtin()
	table.Add(row)
	doc := Document(row.Group, row.Version, "v1", table.GroupVersion(row.Group, row.Version))
	for _, ref := range references(doc) {
		if doc["components"].(tree)["schemas"].(tree)[ref[len(reference):]] == nil {
			t.Errorf("%s is missing", ref)
		}
	}
	const meta = `{"allOf":[{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]}`
	for name, want := range map[string]string{
		"com.example.stable.v1.CronTab": `{"properties":{` +
			`"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":` + meta + `,"spec":{"properties":{` +
			`"a":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true},` +
			`"b":{"properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":` + meta +
			`},"required":["kind","apiVersion"],"type":"object",` +
			`"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},` +
			`"c":{"items":{"type":"string"},"type":"array","x-kubernetes-list-type":"set"}},"type":"object"}},"type":"object",` +
			`"x-kubernetes-group-version-kind":[{"group":"stable.example.com","kind":"CronTab","version":"v1"}],` +
			`"x-kubernetes-selectable-fields":[{"fieldPath":"spec.a"}]}`,
		"com.example.stable.v1.CronTabList": `{"description":"CronTabList is a list of ` +
			`CronTab","properties":{"apiVersion":{"type":"string"},` +
			`"items":{"description":"List of crontabs. More info: ` +
			`https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md",` +
			`"items":{"$ref":"#/components/schemas/com.example.stable.v1.CronTab"},"type":"array"},"kind":{"type":"string"},` +
			`"metadata":{"allOf":[{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"}]}},` +
			`"required":["items"],"type":"object",` +
			`"x-kubernetes-group-version-kind":[{"group":"stable.example.com","kind":"CronTabList","version":"v1"}],` +
			`"x-kubernetes-selectable-fields":[{"fieldPath":"spec.a"}]}`,
	} {
		if text, err := json.Marshal(doc["components"].(tree)["schemas"].(tree)[name]); err != nil || string(text) != want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, text, want)
		}
	}
}

// TestFingerprint checks that clients do not reuse a document whose schema has changed.
func TestFingerprint(t *testing.T) {
	a, b := customRow(t, `{"type":"object"}`), customRow(t, `{"type":"object","description":"changed"}`)
	if Fingerprint(a) == Fingerprint(b) || Fingerprint(a) == "" {
		t.Errorf("fingerprints %q and %q", Fingerprint(a), Fingerprint(b))
	}
	if again := customRow(t, `{"type":"object"}`); Fingerprint(again) != Fingerprint(a) {
		t.Error("the same schema has another fingerprint")
	}
}
