package managedfields

import "maps"

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
		if same(v, w) {
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

// same is stricter than object.Equal: nothing is not the same as empty.
func same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !same(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}
