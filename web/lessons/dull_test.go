//go:build !js

package lessons_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/guess"
)

// reason is what a choice says after a colon.
var reason = regexp.MustCompile(`: `)

// quoted is what is between backquotes, where a colon is no reason.
var quoted = regexp.MustCompile("`[^`]*`")

// TestReasons wants each choice of a question to give a reason, or none.
func TestReasons(t *testing.T) {
	for _, l := range ordered(t) {
		for i := range l.Steps {
			q, _ := l.Steps[i].Prediction()
			if q == nil || q.Value != nil {
				continue
			}
			n := 0
			for _, c := range q.Choices {
				if reason.MatchString(quoted.ReplaceAllString(c.Text, "")) {
					n++
				}
			}
			if n != 0 && n != len(q.Choices) {
				t.Errorf("%s:%d: %d of %d choices give a reason", l.File, q.Line, n, len(q.Choices))
			}
		}
	}
}

// Above these, in percent, a strategy tells what is right.
const (
	dullLesson = 60
	dullMany   = 8 // questions in a lesson
)

// TestDullStrategies plays all questions by strategies that know nothing of Kubernetes.
func TestDullStrategies(t *testing.T) {
	if *only != "" {
		t.Skip("one lesson is too little")
	}
	var mu sync.Mutex
	var all []*guess.Question
	t.Run("play", func(t *testing.T) {
		each(t, func(t *testing.T, l *format.Lesson) {
			p := begin(t, fresh(t, 7), l)
			for i := range l.Steps {
				must(t, l, p.Solve(i))
				a := guess.Of(l.ID, &l.Steps[i], p.Session.Answer(i).Right)
				if a == nil {
					continue
				}
				mu.Lock()
				all = append(all, a)
				mu.Unlock()
			}
			synctest.Wait()
		})
	})
	for _, name := range guess.Strategies() {
		sum, lessons := 0.0, map[string][2]float64{}
		for _, q := range all {
			c := q.Chance(name)
			sum += c
			l := lessons[q.Lesson]
			lessons[q.Lesson] = [2]float64{l[0] + c, l[1] + 1}
		}
		percent := 100 * sum / float64(len(all))
		line := ""
		for _, id := range slices.Sorted(maps.Keys(lessons)) {
			l := lessons[id]
			line += fmt.Sprintf(" %s %.0f", id, 100*l[0]/l[1])
			if l[1] >= dullMany && 100*l[0]/l[1] > dullLesson {
				t.Errorf("%s is right in %.0f %% of %s", name, 100*l[0]/l[1], id)
			}
		}
		t.Logf("%-26s %4.1f %% of %d:%s", name, percent, len(all), line)
		if percent > guess.Most {
			t.Errorf("%s is right in %.1f %%, and may be in %d %%", name, percent, guess.Most)
		}
	}
}
