//go:build !js

package lessons_test

import (
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
)

// TestWays plays the ways to pass a step that has several, each on a separate cluster. The first way to a goal takes
// as many requests as the goal says are enough, and none takes fewer. A goal has at least two ways, and two wrong
// attempts.
func TestWays(t *testing.T) { each(t, ways) }

// ways plays all ways to pass the steps that have several, or a goal.
func ways(t *testing.T, l *format.Lesson) {
	for i := range l.Steps {
		step := &l.Steps[i]
		all, goal := step.Ways(), step.Goal()
		if goal != nil && (len(all) < 2 || len(step.Wrong) < 2) {
			t.Errorf("%s:%d: the goal has %d ways and %d wrong attempts", l.File, goal.Line, len(all), len(step.Wrong))
		}
		if goal == nil && len(all) == 1 {
			continue
		}
		for n, way := range all {
			takes, miss := walk(t, l, i, way)
			switch {
			case miss != "":
				t.Errorf("%s:%d: way %d of step %d does not pass: %s", l.File, way[0].Line, n+1, i+1, miss)
			case goal != nil && (n == 0 && takes != goal.Fewest || takes < goal.Fewest):
				t.Errorf("%s:%d: way %d takes %d requests, and the goal says %d", l.File, way[0].Line, n+1, takes, goal.Fewest)
			}
		}
	}
}

// walk goes a way, and returns how many requests count for the goal, or what is said if the step does not pass.
func walk(t *testing.T, l *format.Lesson, step int, way []*format.Request) (takes int, miss string) {
	t.Helper()
	c, err := play.Cluster(6)
	must(t, l, err)
	defer c.Close()
	p := player(t, c, l)
	defer p.Close()
	must(t, l, p.Begin())
	for k := range step {
		must(t, l, p.Solve(k))
	}
	passed, err := p.Try(step, way)
	must(t, l, err)
	if !passed {
		return 0, "told: " + p.Session.Step(step).Miss
	}
	if score := p.Session.Score(step); score != nil {
		takes = score.Made
	}
	return takes, ""
}
