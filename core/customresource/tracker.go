package customresource

import (
	"reflect"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/structural"
)

// Bucket is the CustomResourceDefinitions' bucket in the store.
const Bucket = "apiextensions.k8s.io/v1/customresourcedefinitions"

// A Tracker keeps a table up to date with the stored CustomResourceDefinitions: the commit that
// establishes one adds the rows of its versions, and the commit that deletes it removes them. So
// reading the log leads to the same rows.
type Tracker struct {
	table *schema.Table
	rules structural.Rules
	known map[string]*Definition // by name
}

// NewTracker returns a Tracker that adds rows to a table. The CEL rules in their schemas are
// evaluated by rules.
func NewTracker(table *schema.Table, rules structural.Rules) *Tracker {
	return &Tracker{table: table, rules: rules, known: map[string]*Definition{}}
}

// Observe is called for every write of a definition, in order; a nil value means that it was
// deleted.
func (t *Tracker) Observe(name string, value []byte) {
	var next *Definition
	old := t.known[name]
	if value != nil {
		crd, _, err := object.Decode(value, schema.TypeOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition"))
		switch {
		case err != nil: // not so: it was stored
			return
		case old != nil && old.Follow(crd):
			return
		case IsTrue(crd, Established):
			next = New(crd)
			t.compile(next)
		}
	}
	delete(t.known, name)
	var before, after []*schema.Resource
	if old != nil {
		before = old.Served
	}
	if next != nil {
		t.known[name], after = next, next.Served
	}
	t.table.Swap(before, after)
	if old != nil {
		old.End()
	}
}

// compile compiles the rules in the schemas of a definition's rows.
func (t *Tracker) compile(d *Definition) {
	if d == nil {
		return
	}
	for _, row := range d.Served {
		if row.Custom.Schema.HasRules() {
			row.Custom.Rules = t.rules.Compile(row.Custom.Schema, row.Plural+"."+row.Group)
		}
	}
}

// Check returns the violations of the rules of a definition. Schemas that are invalid otherwise are
// skipped.
func (t *Tracker) Check(crd map[string]any) field.ErrorList {
	var errs field.ErrorList
	versions := object.GetList(crd, "spec", "versions")
	schemaOf := func(i int) map[string]any {
		version, _ := versions[i].(map[string]any)
		return object.GetMap(version, "schema", "openAPIV3Schema")
	}
	common := true // the real server's internal form of a definition has one schema then
	for i := range versions {
		common = common && reflect.DeepEqual(schemaOf(0), schemaOf(i))
	}
	for i := range versions {
		at := field.Path("spec.versions").Index(i).Child("schema").Child("openAPIV3Schema")
		if common {
			at = "spec.validation.openAPIV3Schema"
		}
		s := structural.Parse(schemaOf(i))
		if s.HasRules() && len(structural.Check(s, at)) == 0 && len(structural.CheckOpenAPI(s, at)) == 0 {
			errs.Add(t.rules.Check(s, at)...)
		}
		if common {
			break
		}
	}
	return errs
}
