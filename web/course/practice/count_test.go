//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// leastDifferent is how many different situations a template has to make: who practises is to meet new ones.
const leastDifferent = 20

// TestSituationsDiffer wants each template to make enough that differ, and no fewer than it has made before: those of
// testdata/different.txt.
func TestSituationsDiffer(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	before := readCounts(t)
	for _, template := range all {
		least := max(leastDifferent, before[template.ID])
		if n, err := template.Different(); err != nil || n < least {
			t.Errorf("%s makes %d different situations, and has to make %d: %v", template.ID, n, least, err)
		}
		delete(before, template.ID)
	}
	if len(before) > 0 {
		t.Errorf("these are missing: %v", before)
	}
}

func readCounts(t *testing.T) map[string]int {
	t.Helper()
	b, err := os.ReadFile("testdata/different.txt")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for line := range strings.Lines(string(b)) {
		var id string
		var n int
		if _, err := fmt.Sscanf(line, "%s %d", &id, &n); err != nil {
			t.Fatal(err)
		}
		counts[id] = n
	}
	return counts
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
