package custom

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/schema"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
)

// TestDefinitions compares the errors of new definitions.
func TestDefinitions(t *testing.T) {
	g := gen{Rand: rand.New(rand.NewPCG(2, 1))}
	res := schema.Builtin().Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
	valid, failed := 0, 0
	for range rounds {
		written := text(g.definition())
		our := ours(kinds.Of(res).Create(&strategy.Context{Now: time.Now}, res, decoded(t, res, written)))
		their, ok := theirMessages(internal(t, written))
		if !ok {
			continue
		}
		if len(their) == 0 {
			valid++
		}
		if text(our) != text(their) {
			a, b := without(our, their), without(their, our)
			if len(a) > 0 && len(b) > 0 { // from where they differ
				i := 0
				for i < min(len(a[0]), len(b[0])) && a[0][i] == b[0][i] {
					i++
				}
				a[0], b[0] = a[0][max(0, i-20):], b[0][max(0, i-20):]
			}
			t.Errorf("of %s\nonly ours   %q\nonly theirs %q", written, a, b)
			if failed++; failed > 10 {
				t.FailNow()
			}
		}
	}
	if valid < rounds/100 || valid > rounds/2 {
		t.Errorf("%d of %d definitions are valid", valid, rounds)
	}
}

// theirMessages returns the errors of the real server, which panics on some definitions.
func theirMessages(crd *apiextensions.CustomResourceDefinition) (all []string, ok bool) {
	defer func() { ok = recover() == nil }()
	strategy := customresourcedefinition.NewStrategy(nil)
	strategy.PrepareForCreate(context.Background(), crd)
	return messages(strategy.Validate(context.Background(), crd)), true
}

func without(all, these []string) (rest []string) {
	for _, e := range all {
		if i := slices.Index(these, e); i >= 0 {
			these = slices.Delete(slices.Clone(these), i, i+1)
		} else {
			rest = append(rest, e)
		}
	}
	return rest
}
