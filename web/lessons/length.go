//go:build !js

package lessons

import (
	"strings"
	"unicode"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// How long a lesson takes: its text is read at so many words a minute. Each question takes so many minutes more, and
// each task: a goal, or a step that gives no requests to run. A step that gives some and asks for more of the learner's
// own is half of both. Replies, hints and requests are not counted.
const (
	wordsPerMinute     = 180
	minutesPerQuestion = 1
	minutesPerOwn      = 1
	minutesPerTask     = 3
)

// MostMinutes is how long the lessons that count may take together.
const MostMinutes = 4 * 60

// MostWords is how many words a lesson may have.
const MostWords = 700

// Length is how much there is to do in a lesson. Own are the steps that ask for more requests than they give.
type Length struct{ Words, Questions, Own, Tasks int }

// Measure returns the length of a lesson.
func Measure(l *format.Lesson) Length {
	n := Length{Words: words(l.Title)}
	n.add(l.Intro)
	for i := range l.Steps {
		s := &l.Steps[i]
		n.Words += words(s.Title)
		n.add(s.Blocks)
		switch {
		case s.Goal() != nil || s.Free() && len(s.Given()) == 0:
			n.Tasks++
		case s.Free():
			n.Own++
		}
	}
	n.add(l.Outro)
	return n
}

func (n *Length) add(blocks []format.Block) {
	for _, b := range blocks {
		if b.Kind == format.Prose || b.Kind == format.GoalKind {
			n.Words += words(b.Markdown)
		}
		p := b.Prediction
		if p == nil {
			continue
		}
		n.Questions++
		n.Words += words(p.Question) + words(p.Explanation)
		if p.Value == nil {
			for _, c := range p.Choices {
				n.Words += words(c.Text)
			}
		}
	}
}

// Minutes returns how many minutes that takes, rounded to whole ones.
func (n Length) Minutes() int {
	return (n.Words+wordsPerMinute/2)/wordsPerMinute + n.Questions*minutesPerQuestion + n.Own*minutesPerOwn +
		n.Tasks*minutesPerTask
}

// words counts the words of a text: what is between spaces and has a letter or a digit.
func words(text string) int {
	n := 0
	for _, w := range strings.Fields(text) {
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}
