package managedfields

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/schema/schematest"
)

// gen makes objects.
type gen struct{ schematest.Generator }

// given are fields of metadata that tests set, or that stay empty.
var given = []string{"managedFields", "name", "namespace", "uid", "resourceVersion", "generation", "deletionTimestamp"}

// newGen returns a generator. With wild, lists may have duplicate items, and strings need escapes.
func newGen(seed, stream uint64, wild bool) gen {
	g := schematest.Generator{Rand: rand.New(rand.NewPCG(seed, stream))}
	g.Without = func(f *schema.Field, depth int) bool {
		return depth == 0 && (f.Name == "kind" || f.Name == "apiVersion") || depth <= 1 && slices.Contains(given, f.Name)
	}
	if wild {
		plain := slices.Repeat([]string{"a", "b", "c"}, 16)
		g.Words = append(plain, `"`, `\`, "<&>", "é", " \u2028", "a,b", "\x01")
		g.Doubles, g.DoubleValues = 6, true
	}
	return gen{g}
}

// stored returns an object of a resource type, named x, as the server stores it.
func (g gen) stored(t *testing.T, r *schema.Resource) map[string]any {
	t.Helper()
	obj := g.Object(r.Type(), 0)
	object.SetTypeMeta(obj, r.APIVersion(), r.Kind)
	object.Meta(obj)["name"] = "x"
	obj, _, err := object.Normalize(obj, r.Type())
	if err != nil {
		t.Fatal(err)
	}
	return obj
}
