package plugins

import (
	"context"
	"slices"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

const tolerationSeconds = int64(300)

// DefaultTolerations is the admission plugin DefaultTolerationSeconds: pods tolerate for five minutes
// that their node is not ready or unreachable, unless they say something else about it.
type DefaultTolerations struct{}

var _ admission.Mutator = DefaultTolerations{}

// Mutate adds the tolerations to a new or a changed pod that lacks them.
func (DefaultTolerations) Mutate(_ context.Context, a *admission.Attributes) error {
	if a.Operation != admission.Create && a.Operation != admission.Update || !a.Is("", "pods") {
		return nil
	}
	spec := tree.Make(a.Object, "spec")
	tolerations := tree.List(spec, "tolerations")
	given := len(tolerations)
	for _, key := range [...]any{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
		tolerates := slices.ContainsFunc(tolerations[:given], func(v any) bool {
			t := tree.Map(v)
			k, effect := tree.Text(t, "key"), tree.Text(t, "effect")
			return t != nil && (k == key || k == "") && (effect == "NoExecute" || effect == "")
		})
		if !tolerates {
			tolerations = append(slices.Grow(tolerations, 2), map[string]any{
				"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": tolerationSeconds,
			})
		}
	}
	if len(tolerations) > given {
		spec["tolerations"] = tolerations
	}
	return nil
}
