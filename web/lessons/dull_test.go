//go:build !js

package lessons_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/lesson"
)

// An asked question is one whose right choice is known, since it was played.
type asked struct {
	lesson, title, text string
	choices             []string
	right               int
}

// hedges are words that take something back: what is right is often said more carefully.
var hedges = []string{"alone", "almost", "at first", "but", "can", "may", "more", "not", "only", "or", "since", "some",
	"though", "unless", "until", "with"}

// A dull strategy chooses without knowing anything. It gives each choice a number, and takes the one with the greatest.
var dull = map[string]func(q *asked, i int) float64{
	"shortest":         func(q *asked, i int) float64 { return -float64(len(q.choices[i])) },
	"longest":          func(q *asked, i int) float64 { return float64(len(q.choices[i])) },
	"with a reason":    func(q *asked, i int) float64 { return float64(strings.Count(q.choices[i], ": ")) },
	"without a reason": func(q *asked, i int) float64 { return -float64(strings.Count(q.choices[i], ": ")) },
	"shortest without a reason": func(q *asked, i int) float64 {
		return -float64(1000*strings.Count(q.choices[i], ": ") + len(q.choices[i]))
	},
	"words of the step":  func(q *asked, i int) float64 { return float64(common(q.text, q.choices[i])) },
	"words of the title": func(q *asked, i int) float64 { return float64(common(q.title, q.choices[i])) },
	"most hedging":       func(q *asked, i int) float64 { return float64(hedging(q.choices[i])) },
	"least hedging":      func(q *asked, i int) float64 { return -float64(hedging(q.choices[i])) },
	"first":              func(q *asked, i int) float64 { return -float64(i) },
	"last":               func(q *asked, i int) float64 { return float64(i) },
}

func fields(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s),
		func(r rune) bool { return strings.ContainsRune(" \n\t.,:;?!`*()“”", r) })
}

// common counts the words that a text has in common with a choice.
func common(text, choice string) int {
	words, n := fields(text), 0
	seen := map[string]bool{}
	for _, w := range fields(choice) {
		if len(w) > 2 && !seen[w] && slices.Contains(words, w) {
			n++
		}
		seen[w] = true
	}
	return n
}

func hedging(choice string) int {
	n := 0
	text := " " + strings.Join(fields(choice), " ") + " "
	for _, h := range hedges {
		n += strings.Count(text, " "+h+" ")
	}
	return n
}

// chance returns how likely a strategy chooses what is right: it draws among those that it likes best.
func chance(q *asked, strategy func(q *asked, i int) float64) float64 {
	best, n := 0.0, 0
	for i := range q.choices {
		switch v := strategy(q, i); {
		case n == 0 || v > best:
			best, n = v, 1
		case v == best:
			n++
		}
	}
	if strategy(q, q.right) < best {
		return 0
	}
	return 1 / float64(n)
}

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
	dullAll    = 35
	dullLesson = 60
	dullMany   = 8 // questions in a lesson
)

// TestDullStrategies plays all questions by strategies that know nothing of Kubernetes.
func TestDullStrategies(t *testing.T) {
	if *only != "" {
		t.Skip("one lesson is too little")
	}
	var mu sync.Mutex
	var all []*asked
	t.Run("play", func(t *testing.T) {
		each(t, func(t *testing.T, l *lesson.Lesson) {
			p := begin(t, fresh(t, 7), l)
			for i := range l.Steps {
				must(t, l, p.Solve(i))
				q, _ := l.Steps[i].Prediction()
				right, err := strconv.Atoi(p.Session.Answer(i).Right)
				if q == nil || q.Value != nil || err != nil {
					continue
				}
				a := &asked{lesson: l.ID, title: l.Steps[i].Title, text: q.Question, right: right}
				for _, b := range l.Steps[i].Blocks {
					if b.Kind == lesson.Prose {
						a.text += "\n" + b.Markdown
					}
				}
				for _, c := range q.Choices {
					a.choices = append(a.choices, c.Text)
				}
				mu.Lock()
				all = append(all, a)
				mu.Unlock()
			}
			synctest.Wait()
		})
	})
	for _, name := range slices.Sorted(maps.Keys(dull)) {
		sum, lessons := 0.0, map[string][2]float64{}
		for _, q := range all {
			c := chance(q, dull[name])
			sum += c
			l := lessons[q.lesson]
			lessons[q.lesson] = [2]float64{l[0] + c, l[1] + 1}
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
		if percent > dullAll {
			t.Errorf("%s is right in %.1f %%, and may be in %d %%", name, percent, dullAll)
		}
	}
}
