package core

import (
	"github.com/tabernetes/tabernetes/core/customresource"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// definitionBucket is where the store has the CustomResourceDefinitions.
const definitionBucket = "apiextensions.k8s.io/v1/customresourcedefinitions"

// customResources keeps a table in step with the CustomResourceDefinitions that are
// stored: one that is established adds the rows of its versions, in the very commit
// that says so, and they go in the commit that deletes it. So they are the same
// again when the log is read.
type customResources struct {
	table *schema.Table
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
