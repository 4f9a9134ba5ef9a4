//go:build !js

// Package guess answers questions by strategies that know nothing of Kubernetes: by the form of the choices. None of
// them should be right much more often than chance.
package guess

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// A Question is one whose right choice is known, since it was played.
type Question struct {
	// Lesson is where it is asked; in practice, the template.
	Lesson string
	// Title is that of its step, Text the step's text with the question, Choices the texts of the choices in the order in
	// which the page has them.
	Title, Text string
	Choices     []string
	// Right is the index of the right choice.
	Right int
}

// Most is how often a strategy may be right, in percent: there are three or four choices to most questions.
const Most = 33

// Of returns the question of a step, whose right choice is given by its text or its number; nil without a
// choice.
func Of(id string, s *format.Step, right string) *Question {
	p, _ := s.Prediction()
	if p == nil || p.Value != nil {
		return nil
	}
	q := &Question{Lesson: id, Title: s.Title, Text: p.Question}
	for _, b := range s.Blocks {
		if b.Kind == format.Prose {
			q.Text += "\n" + b.Markdown
		}
	}
	for place, i := range p.Shown() {
		c := p.Choices[i].Text
		if q.Choices = append(q.Choices, c); c == right || strconv.Itoa(i) == right {
			q.Right = place
		}
	}
	return q
}

// hedges are words that take something back: what is right is often said more carefully.
var hedges = []string{"alone", "almost", "at first", "but", "can", "may", "more", "not", "only", "or", "since", "some",
	"though", "unless", "until", "with"}

// A strategy gives each choice a number, and takes the one with the greatest.
type strategy func(q *Question, i int) float64

var strategies = map[string]strategy{
	"shortest":         func(q *Question, i int) float64 { return -float64(len(q.Choices[i])) },
	"longest":          func(q *Question, i int) float64 { return float64(len(q.Choices[i])) },
	"middle length":    middle,
	"with a reason":    func(q *Question, i int) float64 { return float64(strings.Count(q.Choices[i], ": ")) },
	"without a reason": func(q *Question, i int) float64 { return -float64(strings.Count(q.Choices[i], ": ")) },
	"shortest without a reason": func(q *Question, i int) float64 {
		return -float64(1000*strings.Count(q.Choices[i], ": ") + len(q.Choices[i]))
	},
	"words of the step":          func(q *Question, i int) float64 { return float64(common(q.Text, q.Choices[i])) },
	"words of the title":         func(q *Question, i int) float64 { return float64(common(q.Title, q.Choices[i])) },
	"words of the other choices": func(q *Question, i int) float64 { return float64(others(q, i)) },
	"most hedging":               func(q *Question, i int) float64 { return float64(hedging(q.Choices[i])) },
	"least hedging":              func(q *Question, i int) float64 { return -float64(hedging(q.Choices[i])) },
	"first":                      func(q *Question, i int) float64 { return -float64(i) },
	"last":                       func(q *Question, i int) float64 { return float64(i) },
}

// Strategies returns the names of all strategies, sorted.
func Strategies() []string { return slices.Sorted(maps.Keys(strategies)) }

// Chance returns how likely a strategy chooses what is right: it draws among those that it likes best.
func (q *Question) Chance(name string) float64 {
	likes := strategies[name]
	best, n := 0.0, 0
	for i := range q.Choices {
		switch v := likes(q, i); {
		case n == 0 || v > best:
			best, n = v, 1
		case v == best:
			n++
		}
	}
	if likes(q, q.Right) < best {
		return 0
	}
	return 1 / float64(n)
}

// middle prefers what has as many longer choices as shorter ones.
func middle(q *Question, i int) float64 {
	n := 0
	for _, c := range q.Choices {
		n += cmp.Compare(len(c), len(q.Choices[i]))
	}
	return -float64(max(n, -n))
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

// others counts the words that a choice has in common with each of the others.
func others(q *Question, i int) (n int) {
	for k, c := range q.Choices {
		if k != i {
			n += common(c, q.Choices[i])
		}
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
