package managedfields

import (
	"maps"

	"github.com/tabernetes/tabernetes/core/object"
)

// Most writes change little. What is the same on both sides says nothing about who
// owns it, and is left out before two objects are compared.

// differing returns what differs between two trees: maps without the entries that
// are the same in both, lists as a whole. The trees themselves stay as they are.
func differing(a, b map[string]any) (map[string]any, map[string]any) {
	a, b = maps.Clone(a), maps.Clone(b)
	for k, v := range a {
		w, ok := b[k]
		if !ok {
			continue
		}
		if object.Identical(v, w) {
			delete(a, k)
			delete(b, k)
			continue
		}
		m, isMap := v.(map[string]any)
		n, alsoMap := w.(map[string]any)
		if isMap && alsoMap {
			a[k], b[k] = differing(m, n)
		}
	}
	return a, b
}
