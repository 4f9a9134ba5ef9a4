package fields

import (
	"math/rand/v2"
	"slices"

	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/schema/schematest"
)

// gen makes objects.
type gen struct{ schematest.Generator }

// left are fields that the server does not track, or that are irrelevant here.
var left = []string{"kind", "apiVersion", "managedFields", "name", "namespace", "uid", "resourceVersion",
	"creationTimestamp",
	"deletionTimestamp", "generation", "selfLink", "deletionGracePeriodSeconds", "generateName"}

// newGen returns a generator. With doubles, lists may have duplicate items.
func newGen(seed, stream uint64, doubles bool) gen {
	g := schematest.Generator{Rand: rand.New(rand.NewPCG(seed, stream)), DoubleValues: doubles}
	if doubles {
		g.Doubles = 6
	}
	g.Without = func(f *schema.Field, depth int) bool {
		// Protobuf does not have the TypeMeta.
		return depth <= 1 && slices.Contains(left, f.Name) || len(f.Embeds) > 0 && f.Embeds[0].Name == "TypeMeta"
	}
	return gen{g}
}

// mix copies parts of over into tree, as a client does that changes some fields.
func (g gen) mix(tree, over map[string]any) {
	for _, k := range schematest.Keys(over) {
		v := over[k]
		was, ok := tree[k].(map[string]any)
		if is, also := v.(map[string]any); ok && also && !g.OneIn(4) {
			g.mix(was, is)
		} else if g.OneIn(2) {
			tree[k] = v
		}
	}
	for _, k := range schematest.Keys(tree) {
		if g.OneIn(12) && !slices.Contains(left, k) && k != "metadata" {
			delete(tree, k)
		}
	}
}
