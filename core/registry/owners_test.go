package registry

import (
	"reflect"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
)

// TestUniqueOwners removes owner references that are equal; those that have the same uid only stay.
func TestUniqueOwners(t *testing.T) {
	ref := func(name, uid string) any {
		return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid}
	}
	for _, c := range []struct {
		name         string
		owners, want []any
		warned       bool
	}{
		{"one", []any{ref("a", "1")}, []any{ref("a", "1")}, false},
		{"other uids", []any{ref("a", "1"), ref("a", "2")}, []any{ref("a", "1"), ref("a", "2")}, false},
		{"other names", []any{ref("a", "1"), ref("b", "1")}, []any{ref("a", "1"), ref("b", "1")}, false},
		{"equal ones", []any{ref("a", "1"), ref("b", "1"), ref("c", "2"), ref("a", "1")},
			[]any{ref("a", "1"), ref("b", "1"), ref("c", "2")}, true},
		{"without a uid", []any{ref("a", ""), ref("a", "")}, []any{ref("a", "")}, true},
	} {
		obj, warned := map[string]any{"metadata": map[string]any{"ownerReferences": c.owners}}, false
		UniqueOwners(obj, "", func(string) { warned = true })
		if got := object.GetList(obj, "metadata", "ownerReferences"); !reflect.DeepEqual(got, c.want) || warned != c.warned {
			t.Errorf("%s: %v, warned: %v", c.name, got, warned)
		}
	}
}
