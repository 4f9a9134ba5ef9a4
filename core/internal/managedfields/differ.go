package managedfields

import (
	"maps"

	"github.com/tabernetes/tabernetes/core/object"
)

// Most writes change little. Parts that are equal on both sides do not affect ownership, and are
// left out before two objects are compared.

// differing returns the parts in which two trees differ: maps without equal entries, lists as a
// whole. The trees themselves are not changed.
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
