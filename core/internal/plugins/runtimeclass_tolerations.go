package plugins

import (
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// mergeTolerations returns the tolerations of a pod and those of its class without those that another one
// includes. Of equal ones it keeps the first.
func mergeTolerations(own, ofClass []map[string]any) []any {
	all := append(own[:len(own):len(own)], ofClass...)
	var merged []any
next:
	for i, t := range all {
		for _, kept := range merged {
			if includesTolerations(tree.Map(kept), t) {
				continue next
			}
		}
		for _, later := range all[i+1:] {
			if !sameTolerations(later, t) && includesTolerations(later, t) {
				continue next
			}
		}
		merged = append(merged, t)
	}
	return merged
}

// includesTolerations reports whether one toleration tolerates all that another one does.
func includesTolerations(wide, narrow map[string]any) bool {
	if sameTolerations(wide, narrow) {
		return true
	}
	exists := tree.Text(wide, "operator") == "Exists"
	if key := tree.Text(wide, "key"); key != tree.Text(narrow, "key") && (key != "" || !exists) {
		return false
	}
	effect := tree.Text(wide, "effect")
	if effect != "" && effect != tree.Text(narrow, "effect") {
		return false
	}
	if limit, ok := tree.Int(wide, "tolerationSeconds"); ok && effect == "NoExecute" {
		if seconds, ok := tree.Int(narrow, "tolerationSeconds"); !ok || seconds > limit {
			return false
		}
	}
	switch tree.Text(wide, "operator") {
	case "Exists":
		return true
	case "Equal", "":
		return tree.Text(narrow, "operator") == "Equal" && tree.Text(wide, "value") == tree.Text(narrow, "value")
	}
	return false
}

// sameTolerations reports whether two tolerations are equal: a field that is not set is one that is empty.
func sameTolerations(a, b map[string]any) bool {
	for _, name := range []string{"key", "operator", "value", "effect"} {
		if tree.Text(a, name) != tree.Text(b, name) {
			return false
		}
	}
	return object.Equal(a["tolerationSeconds"], b["tolerationSeconds"])
}
