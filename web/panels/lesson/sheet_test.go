//go:build !js

package lesson

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// A sheet is a column without a page: it keeps what it is to show.
type sheet struct {
	visit *visit
	hash  string
	// went are the places that the panel went to, beginning with what the address named.
	went     []string
	shown    placeView
	counts   map[string]string
	page     string
	html     string // of the page
	goal     string // in the place of the answer
	greeting string
	teacher  bool
	kubectl  bool
	focus    string
	isLive   bool
	begins   int // how often the first visit's beginning was ended
	articles map[string]*leaf
	// noRoom has insert fail.
	noRoom bool
	// code, level and seed are what the capstone's page holds.
	code        string
	level, seed int
}

func (s *sheet) insert(id, html string) (article, error) {
	if s.noRoom {
		return nil, errors.New("no room")
	}
	s.articles[id] = newLeaf(html)
	return s.articles[id], nil
}

func (s *sheet) live()                           { s.isLive = true }
func (s *sheet) address() string                 { return s.hash }
func (s *sheet) setPlace(hash string)            { s.hash = hash }
func (s *sheet) link(hash string) string         { return "http://here/" + hash }
func (s *sheet) place(v placeView)               { s.shown = v }
func (s *sheet) count(id, text string)           { s.counts[id] = text }
func (s *sheet) closeMenu()                      {}
func (s *sheet) welcome(text string)             { s.greeting = text }
func (s *sheet) beside(f func() templ.Component) { s.goal = draw(f()) }
func (s *sheet) begun()                          { s.begins++ }
func (s *sheet) showTeacher(on bool)             { s.teacher = on }
func (s *sheet) showWay(kubectl bool)            { s.kubectl = kubectl }
func (s *sheet) openPage(name string)            { s.page = name }
func (s *sheet) closePage()                      { s.page = "" }
func (s *sheet) paintPage(c templ.Component)     { s.html = draw(c) }
func (s *sheet) pageTop(bool)                    {}
func (s *sheet) showVerdict()                    {}
func (s *sheet) blur()                           { s.focus = "" }
func (s *sheet) focusSoon(id string)             { s.focus = id }
func (s *sheet) capstoneForm() (code string, level, seed int) {
	return s.code, s.level, s.seed
}

// goHash goes to a place, as a browser does.
func (s *sheet) goHash(hash string) {
	was := s.hash
	s.hash = hash
	s.went = append(s.went, hash)
	if was == hash {
		was = "" // an event that does not say
	}
	s.visit.moved(was, hash)
}

// A leaf is an article without a page.
type leaf struct {
	text       string
	lesson     *format.Lesson
	isQuestion bool
	isOpen     bool
	removed    bool
	step       int
	all        bool
	scrolled   []int
	focus      string
	parts      map[string]int // how many hints and solutions are open, by step and kind
	view       view.BarView
	done       map[int]bool
	troubles   map[int]*session.Trouble
	scores     map[int]session.Score
	pictures   map[int]func() templ.Component
	refs       map[string]string
	buttons    map[string]buttonView
	chips      map[string]func() templ.Component
	outcomes   map[string]func() templ.Component
	silent     map[string]bool
	orders     map[int][]int
	asked      map[int]questionView
	// answers are what is chosen or typed.
	answers  map[int]string
	verdicts []string
}

func newLeaf(text string) *leaf {
	return &leaf{text: text, parts: map[string]int{}, done: map[int]bool{}, troubles: map[int]*session.Trouble{},
		scores: map[int]session.Score{}, pictures: map[int]func() templ.Component{},
		refs: map[string]string{}, buttons: map[string]buttonView{},
		chips: map[string]func() templ.Component{}, outcomes: map[string]func() templ.Component{},
		silent: map[string]bool{}, orders: map[int][]int{}, asked: map[int]questionView{}, answers: map[int]string{}}
}

func (l *leaf) source() string                            { return l.text }
func (l *leaf) find(lesson *format.Lesson, question bool) { l.lesson, l.isQuestion = lesson, question }
func (l *leaf) open(on bool)                              { l.isOpen = on }
func (l *leaf) remove()                                   { l.removed = true }
func (l *leaf) show(_, step int, all bool)                { l.step, l.all = step, all }
func (l *leaf) unfold(step int, all bool)                 { l.step, l.all = step, all }
func (l *leaf) scroll(step int)                           { l.scrolled = append(l.scrolled, step) }
func (l *leaf) focusTitle()                               { l.focus = "title" }
func (l *leaf) focusStep(step int)                        { l.focus = fmt.Sprint("step ", step) }
func (l *leaf) focusRun(step int, _ bool)                 { l.focus = fmt.Sprint("run ", step) }
func (l *leaf) focusNext()                                { l.focus = "next" }
func (l *leaf) bar(v *view.BarView)                       { l.view = *v }
func (l *leaf) passed(step int, passed bool)              { l.done[step] = passed }
func (l *leaf) score(step int, s session.Score)           { l.scores[step] = s }
func (l *leaf) picture(step int, draw func() templ.Component) {
	l.pictures[step] = draw
}
func (l *leaf) button(at string, v buttonView) { l.buttons[at] = v }
func (l *leaf) order(step int, choices []int)  { l.orders[step] = choices }
func (l *leaf) question(step int, v questionView) {
	if l.asked[step] = v; v.Put {
		l.answers[step] = v.Given
	}
}

func (l *leaf) given(step int) string                       { return l.answers[step] }
func (l *leaf) choose(step, choice int)                     { l.answers[step] = strconv.Itoa(choice) }
func (l *leaf) toQuestion(step int)                         { l.focus = fmt.Sprint("question ", step) }
func (l *leaf) sayVerdict(_ int, text string)               { l.verdicts = append(l.verdicts, text) }
func (l *leaf) showVerdict(int)                             {}
func (l *leaf) chip(at string, draw func() templ.Component) { l.chips[at] = draw }

func (l *leaf) trouble(step int, t *session.Trouble, _ bool) { l.troubles[step] = t }

func (l *leaf) outcome(at string, hidden bool, draw func() templ.Component) {
	l.outcomes[at], l.silent[at] = draw, hidden
}

func (l *leaf) values(valueOf func(reference string) string) {
	for key := range l.refs {
		l.refs[key] = valueOf(key)
	}
}

func (l *leaf) opened(step int, kind string) (open, all int) {
	want := format.Hint
	if kind == "solution" {
		want = format.Solution
	}
	for _, b := range l.lesson.Steps[step].Blocks {
		if b.Kind == want {
			all++
		}
	}
	return l.parts[fmt.Sprint(step, kind)], all
}

func (l *leaf) reveal(step int, kind string, from, to int, open bool) {
	key := fmt.Sprint(step, kind)
	if l.parts[key] = from; open {
		l.parts[key] = to
	}
}

// draw returns a component's HTML.
func draw(c templ.Component) string {
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		return err.Error()
	}
	return b.String()
}

// has fails if a text does not have all of the parts.
func has(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s is %q, without %q", what, text, part)
		}
	}
}
