//go:build !js

package practice

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// leastDifferent is how many different situations a template has to make: who practises
// is to meet new ones.
const leastDifferent = 20

// TestSituationsDiffer wants each template to make enough that differ.
func TestSituationsDiffer(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, template := range all {
		if n, err := template.Different(); err != nil || n < leastDifferent {
			t.Errorf("%s makes %d different situations, and has to make %d: %v", template.ID, n, leastDifferent, err)
		}
	}
}

// TestDifferent counts what a template makes that draws one of three, and one that lacks a
// value.
func TestDifferent(t *testing.T) {
	draw := func(r *rand.Rand) Values { return Values{"n": strconv.Itoa(r.IntN(3))} }
	if n, err := (Template{ID: "p", Source: "say {{$n}}", draw: draw}).Different(); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := (Template{ID: "p", Source: "say nothing", draw: draw}).Different(); n != 1 || err != nil {
		t.Errorf("what the text does not show: %d, %v", n, err)
	}
	if _, err := (Template{ID: "p", Source: "say {{$m}}", draw: draw}).Different(); err == nil {
		t.Error("a value that is never drawn")
	}
}
