package managedfields

import (
	"github.com/tabernetes/tabernetes/core/object"
)

// Most writes change little. Parts that are equal on both sides do not affect ownership, and are
// left out before two objects are compared.

// differing returns the parts in which two trees differ: maps without equal entries, lists as a
// whole. The trees themselves are not changed.
func differing(a, b map[string]any) (ofA, ofB map[string]any) {
	if a == nil || b == nil {
		return a, b
	}
	ofA, ofB = map[string]any{}, map[string]any{}
	for k, v := range a {
		w, ok := b[k]
		if !ok {
			ofA[k] = v
			continue
		}
		if object.Identical(v, w) {
			continue
		}
		m, isMap := v.(map[string]any)
		n, alsoMap := w.(map[string]any)
		if isMap && alsoMap {
			ofA[k], ofB[k] = differing(m, n)
		} else {
			ofA[k], ofB[k] = v, w
		}
	}
	for k, w := range b {
		if _, ok := a[k]; !ok {
			ofB[k] = w
		}
	}
	return ofA, ofB
}
