//go:build !js

package lessons_test

import (
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// TestNothingLeftOut leaves out one by one the writes that a step with a question gives to run: a question is about
// what comes after them, so without any of them the step does not pass.
func TestNothingLeftOut(t *testing.T) {
	each(t, func(t *testing.T, l *format.Lesson) {
		for i := range l.Steps {
			step := &l.Steps[i]
			if q, _ := step.Prediction(); q == nil {
				continue
			}
			all := step.Solve()
			for at, r := range all {
				if r.Method == "GET" || r.Method == "HEAD" {
					continue
				}
				if passed, _ := attempt(t, l, i, slices.Delete(slices.Clone(all), at, at+1)); passed {
					t.Errorf("%s:%d: step %d passes without %s", l.File, r.Line, i+1, r.Label())
				}
			}
		}
	})
}
