package controller

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// TestWhatIsCreatedAgainKeepsItsContent has a namespace purged and created again while the controller that empties it,
// and the one that removes a definition's objects, have still to do with the one before.
func TestWhatIsCreatedAgainKeepsItsContent(t *testing.T) {
	c := newCluster(t, false)
	c.create("namespaces/n")
	before := c.read("namespaces/n")
	c.create("configmaps/n/a")
	if err := c.Purge(t.Context(), []string{"n"}, registry.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.create("namespaces/n")
	c.create("configmaps/n/a")
	client, namespaces := client{c.Registry}, c.target("namespaces/n")
	namespaces.Name = ""
	terminator := terminator{client, namespaces}
	definer := definer{client: client}
	all := c.target("configmaps/n/a").Resource

	terminator.empty(t.Context(), before)
	if _, err := definer.removeAll(t.Context(), all, c.target("namespaces/n"), object.UID(before)); err != nil {
		t.Error(err)
	}
	if !c.exists("configmaps/n/a") {
		t.Fatal("the object of the new namespace is deleted")
	}
	now := c.read("namespaces/n")
	if left, err := definer.removeAll(t.Context(), all, c.target("namespaces/n"), object.UID(now)); left || err != nil {
		t.Error(left, err)
	}
	if c.exists("configmaps/n/a") {
		t.Error("the object is left")
	}
	c.create("configmaps/n/a")
	if terminator.empty(t.Context(), now); c.exists("configmaps/n/a") {
		t.Error("the object is left")
	}
}
