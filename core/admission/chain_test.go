package admission_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
)

// A record lists the calls that plugins got.
type record struct{ seen []string }

var errRefused = errors.New("refused")

func (r *record) note(name, refuses, phase string) error {
	r.seen = append(r.seen, phase+" "+name)
	if phase == refuses {
		return errRefused
	}
	return nil
}

type early struct {
	*record
	refuses string
}

func (p early) Precheck(context.Context, *admission.Attributes) error {
	return p.note("early", p.refuses, "precheck")
}

type checker struct {
	*record
	refuses string
}

func (p checker) Check(context.Context, *admission.Attributes) error {
	return p.note("checker", p.refuses, "check")
}

type both struct {
	*record
	name, refuses string
}

func (p both) Mutate(context.Context, *admission.Attributes) error {
	return p.note(p.name, p.refuses, "mutate")
}

func (p both) Validate(context.Context, *admission.Attributes) error {
	return p.note(p.name, p.refuses, "validate")
}

// TestPhases checks that each plugin is called in the phases that it implements, in the order of
// the chain, up to the first that refuses.
func TestPhases(t *testing.T) {
	ctx := context.Background()
	for refuses, want := range map[string][]string{
		"":         {"precheck early", "mutate a", "check checker", "mutate b", "validate a", "validate b"},
		"precheck": {"precheck early"},
		"mutate":   {"precheck early", "mutate a"},
		"check":    {"precheck early", "mutate a", "check checker"},
		"validate": {"precheck early", "mutate a", "check checker", "mutate b", "validate a"},
	} {
		r := &record{}
		chain := admission.Chain{both{r, "a", refuses}, checker{r, refuses}, early{r, refuses}, both{r, "b", refuses}}
		var err error
		for _, phase := range []func(context.Context, *admission.Attributes) error{chain.Precheck, chain.Mutate,
			chain.Validate} {
			if err = phase(ctx, &admission.Attributes{}); err != nil {
				break
			}
		}
		if (err == nil) != (refuses == "") || !reflect.DeepEqual(r.seen, want) {
			t.Errorf("%q refuses: %v, %v", refuses, r.seen, err)
		}
	}
}
