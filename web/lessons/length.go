//go:build !js

package lessons

import (
	"strings"
	"unicode"

	"github.com/tabernetes/tabernetes/web/lesson"
)

// How long a lesson takes: its text is read at so many words a minute, and each question and each task in which the
// learner's own requests are needed takes so many minutes more. Replies, hints and requests are not counted.
const (
	wordsPerMinute     = 180
	minutesPerQuestion = 1
	minutesPerTask     = 3
)

// Length is how much there is to do in a lesson.
type Length struct{ Words, Questions, Tasks int }

// Measure returns the length of a lesson.
func Measure(l *lesson.Lesson) Length {
	n := Length{Words: words(l.Title)}
	n.add(l.Intro)
	for i := range l.Steps {
		s := &l.Steps[i]
		n.Words += words(s.Title)
		n.add(s.Blocks)
		if s.Free() {
			n.Tasks++
		}
	}
	n.add(l.Outro)
	return n
}

func (n *Length) add(blocks []lesson.Block) {
	for _, b := range blocks {
		if b.Kind == lesson.Prose {
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

// Minutes returns how many minutes that takes, rounded up.
func (n Length) Minutes() int {
	return (n.Words+wordsPerMinute-1)/wordsPerMinute + n.Questions*minutesPerQuestion + n.Tasks*minutesPerTask
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
