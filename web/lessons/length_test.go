//go:build !js

package lessons_test

import (
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lessons"
)

// TestLength wants each lesson to say how long it takes and to have few words, and those that count to take four hours
// at most.
func TestLength(t *testing.T) {
	if *only != "" {
		t.Skip("a lesson that is being written has no length yet")
	}
	all := 0
	for _, l := range ordered(t) {
		n := lessons.Measure(l)
		t.Logf("%-22s %4d words, %d questions, %d tasks: %2d minutes", l.ID, n.Words, n.Questions, n.Tasks, n.Minutes())
		if d := l.Minutes - n.Minutes(); d < -1 || d > 1 {
			t.Errorf("%s says %d minutes, and takes %d", l.File, l.Minutes, n.Minutes())
		}
		if n.Words > lessons.MostWords {
			t.Errorf("%s has %d words, and may have %d", l.File, n.Words, lessons.MostWords)
		}
		if l.Part != format.FurtherReading {
			all += n.Minutes()
		}
	}
	if t.Logf("all that count: %d minutes", all); all > lessons.MostMinutes {
		t.Errorf("the lessons take %d minutes, and may take %d", all, lessons.MostMinutes)
	}
}

// TestGoals wants each lesson from 1 on to end with a goal, except for further reading.
func TestGoals(t *testing.T) {
	if *only != "" {
		t.Skip("a lesson that is being written has no goal yet")
	}
	for _, l := range ordered(t)[1:] {
		if last := &l.Steps[len(l.Steps)-1]; last.Goal() == nil && l.Part != format.FurtherReading {
			t.Errorf("%s ends with the step %q, which is no goal", l.File, last.Title)
		}
	}
}

// TestGoalsInTheMiddle wants the lessons that are about reading and watching to have a goal before their last step.
func TestGoalsInTheMiddle(t *testing.T) {
	if *only != "" {
		t.Skip("a lesson that is being written has no goal yet")
	}
	for _, l := range ordered(t)[4:12] {
		if !slices.ContainsFunc(l.Steps[1:len(l.Steps)-1], func(s format.Step) bool { return s.Goal() != nil }) {
			t.Errorf("%s has no goal in its middle", l.File)
		}
	}
}
