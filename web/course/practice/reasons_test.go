//go:build !js

package practice

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestReasonsOfGone plays a question whose explanation is drawn, not read off the run: it gives a reason for a 410
// where there is one, and only there.
func TestReasonsOfGone(t *testing.T) {
	template := templateNamed(t, "away-and-back")
	told := map[bool]int{}
	for seed := 1; seed <= 40; seed++ {
		l, err := template.Situation(seed)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			right := situation(t, l, seed)
			is := strings.Contains(right, "410")
			q, _ := l.Steps[0].Prediction()
			if said := strings.Contains(q.Explanation, "does not know that nothing is missing"); said != is {
				t.Errorf("seed %d: %s, explained by %s", seed, right, q.Explanation)
			}
			told[is]++
		})
	}
	if told[true] < 5 || told[false] < 5 {
		t.Errorf("gone or not: %v", told)
	}
}

func templateNamed(t *testing.T, id string) Template {
	t.Helper()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, template := range all {
		if template.ID == id {
			return template
		}
	}
	t.Fatalf("there is no template %s", id)
	return Template{}
}
