package core

import (
	"reflect"

	"github.com/tabernetes/tabernetes/core/customresource"
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/structural"
)

// definitionBucket is where the store has the CustomResourceDefinitions.
const definitionBucket = "apiextensions.k8s.io/v1/customresourcedefinitions"

// customResources keeps a table in step with the CustomResourceDefinitions that are
// stored: one that is established adds the rows of its versions, in the very commit
// that says so, and they go in the commit that deletes it. So they are the same
// again when the log is read.
type customResources struct {
	table *schema.Table
	rules structural.Rules
	known map[string]*customresource.Definition // by name
}

// observe is told of every write of a definition, in order; a nil value is that of
// one that is gone.
func (c *customResources) observe(name string, value []byte) {
	var next *customresource.Definition
	old := c.known[name]
	if value != nil {
		crd, _, err := object.Decode(value, schema.TypeOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition"))
		switch {
		case err != nil: // not so: it was stored
			return
		case old != nil && old.Follow(crd):
			return
		case customresource.IsTrue(crd, customresource.Established):
			next = customresource.New(crd)
			c.compile(next)
		}
	}
	delete(c.known, name)
	var before, after []*schema.Resource
	if old != nil {
		before = old.Served
	}
	if next != nil {
		c.known[name], after = next, next.Served
	}
	c.table.Swap(before, after)
	if old != nil {
		old.End()
	}
}

// compile gives the rows of a definition the rules that their schemas have.
func (c *customResources) compile(d *customresource.Definition) {
	if d == nil {
		return
	}
	for _, row := range d.Served {
		if row.Custom.Schema.HasRules() {
			row.Custom.Rules = c.rules.Compile(row.Custom.Schema, row.Plural+"."+row.Group)
		}
	}
}

// check says what is wrong with the rules of a definition. Schemas that are wrong
// otherwise are passed over.
func (c *customResources) check(crd map[string]any) field.ErrorList {
	var errs field.ErrorList
	versions := object.GetList(crd, "spec", "versions")
	schemaOf := func(i int) map[string]any {
		version, _ := versions[i].(map[string]any)
		return object.GetMap(version, "schema", "openAPIV3Schema")
	}
	common := true // the real server's own form of a definition has one schema then
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
			errs.Add(c.rules.Check(s, at)...)
		}
		if common {
			break
		}
	}
	return errs
}
