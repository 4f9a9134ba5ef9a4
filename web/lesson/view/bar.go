package view

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A BarView is what the bar under a lesson shows: where the learner is, what
// has to happen there, and the way on. It never scrolls, so it is where
// everything is said that answers something the learner did.
type BarView struct {
	// Lesson is the lesson's id.
	Lesson string
	// Step is the index of the step that is shown; the number of steps when what
	// follows the last one is.
	Step   int
	Passed []bool // of all steps
	Checks []CheckView
	// Hints is how many hints the step has, one leading further than the other; HintsOpen
	// how many of them are open.
	Hints, HintsOpen int
	// Solution reports whether the step has one, and whether it is open.
	Solution Reveal
	// SettingUp reports whether the step is being set up again.
	SettingUp bool
	// Question reports whether the step's question waits for an answer, Ask is what the bar offers of it.
	Question bool
	Ask      AskView
	// Run is the request that is to be run next. Its Label is empty if no request is to be run.
	Run RunView
	// First is the index of the step that comes before the shown one can pass,
	// or -1.
	First int
	// Next leads on after the last step; without an Href it leads nowhere.
	Next NextLink
	// Exam says that the question is one of the exam.
	Exam bool
	// Asked says in place of the step what a question belongs to; empty in a lesson. Seed is that of its situation, and At
	// its place, from 0, among Of that are asked one after another; 0: it is alone.
	Asked  string
	Seed   int
	At, Of int
	// Chosen says that the question has an answer, which is to be committed.
	Chosen bool
	// Trouble is why the step cannot pass as it is, in words for those who do not see it.
	Trouble string
	// Notice is shown above all else; empty: nothing.
	Notice Notice
	// Asking replaces the buttons by the question whether to start over.
	Asking bool
	// More shows all of the bar where there is space for one line only.
	More bool
	// Live reports whether the lab runs: before, nothing can be pressed.
	Live bool
}

// A CheckView is a row of a check: what has to have happened, whether it has,
// and if it nearly has, what is missing.
type CheckView struct {
	Text string
	Done bool
	Miss string
}

// A Reveal is a part of a step that is shown when it is asked for.
type Reveal struct{ There, Open bool }

// An AskView is a question whose answers are short enough for the bar, in the order in which they are shown. Without
// Answers the question is answered where it stands.
type AskView struct {
	// Text is the question in words, empty if it is too long.
	Text    string
	Answers []AnswerView
}

// An AnswerView is an answer to choose: its number in the question, and what it says.
type AnswerView struct {
	Number int
	Text   string
	Chosen bool
}

// A RunView is what the bar's button does with a request. Label names the request, Line is its method and target, or
// the command that makes it. Text says what is done with it, such as "Run". Busy says that it is under way.
type RunView struct {
	Label, Line, Text string
	Busy              bool
}

// A NextLink leads to what comes after a lesson.
type NextLink struct {
	// Href is the link there, Title what it leads to, Label what the button says.
	Href, Title, Label string
	// Opens is what the lesson has made possible, and OpensHref the link to it; empty: nothing.
	Opens, OpensHref string
}

// A Notice is a line in the bar, maybe with something to do about it.
type Notice struct {
	Text string
	// Action is the data-action of its button, Label what the button says; both
	// empty: there is only a button that removes the notice.
	Action, Label string
	// Other is the data-action of a second button, OtherLabel what it says; both may be empty.
	Other, OtherLabel string
}

// NewBar returns the bar of a lesson as it is when nothing is done: what the page is
// built with.
func NewBar(l *format.Lesson, next NextLink) BarView {
	s := session.New(l, session.Progress{}, new(tap.Log))
	v := BarOf(s, 0, next)
	if r := l.Request(s.NextRun(0, false)); r != nil {
		v.Run = RunView{Label: r.Label(), Line: LineOf(r.Method, r.Target), Text: "Run"}
	}
	return v
}

// BarOf returns the view of step i of a session, or of the end for len(Lesson.Steps).
func BarOf(s *session.Session, i int, next NextLink) BarView {
	v := BarView{Lesson: s.Lesson.ID, Step: i, First: -1, Next: next}
	for k := range s.Lesson.Steps {
		v.Passed = append(v.Passed, s.Step(k).Passed)
	}
	if i >= len(v.Passed) {
		return v
	}
	st := s.Step(i)
	v.Trouble = st.Trouble.Words()
	for j, r := range st.Rows {
		c := CheckView{Text: r.Text, Done: r.Done}
		if !r.Done && (j == 0 || st.Rows[j-1].Done) {
			c.Miss = st.Miss
		}
		v.Checks = append(v.Checks, c)
	}
	if first := s.Current(); first < i && !st.Passed {
		v.First = first
	}
	for _, b := range s.Lesson.Steps[i].Blocks {
		if b.Kind == format.Hint {
			v.Hints++
		}
		v.Solution.There = v.Solution.There || b.Kind == format.Solution
	}
	if !st.Passed && !s.Answer(i).Committed() {
		q, _ := s.Lesson.Steps[i].Prediction()
		v.Question = q != nil
	}
	return v
}

// steps returns how many steps there are.
func (v BarView) steps() int { return len(v.Passed) }

// atEnd reports whether the bar is that of the lesson's end.
func (v BarView) atEnd() bool { return v.Step >= v.steps() }

// passed reports whether the shown step is passed.
func (v BarView) passed() bool { return v.atEnd() || v.Passed[v.Step] }

// GoesOn reports whether the bar has a button that does what the step needs next, and that can be pressed.
func (v BarView) GoesOn() bool {
	switch {
	case !v.Live || v.Asking || v.passed():
		return false
	case v.First < 0 && v.Trouble != "":
		return !v.SettingUp
	case v.First < 0 && v.Question:
		return true
	}
	return v.Run.Label != "" && !v.Run.Busy
}

// segments returns how the steps are drawn in the row of segments, or the questions that are asked one after another.
func (v BarView) segments() (all []string) {
	n, at, done := v.steps(), v.Step, "passed"
	if v.Of > 0 {
		n, at, done = v.Of, v.At, "done" // right or wrong
	}
	for i := range n {
		switch {
		case v.Of > 0 && i < at, v.Of == 0 && v.Passed[i]:
			all = append(all, done)
		case i == at:
			all = append(all, "shown")
		default:
			all = append(all, "todo")
		}
	}
	return all
}

// folds reports whether the checks are shown only when they are asked for: in the exam the question has the room.
func (v BarView) folds() bool { return v.Exam && !v.More }

// now returns the index of the check that is next; -1 when all are done.
func (v BarView) now() int {
	for i, c := range v.Checks {
		if !c.Done {
			return i
		}
	}
	return -1
}

// where says at which step the bar is.
func (v BarView) where() string {
	if v.Asked != "" {
		return v.Asked
	}
	if v.atEnd() {
		n := 0
		for _, p := range v.Passed {
			if p {
				n++
			}
		}
		switch {
		case n < v.steps():
			return fmt.Sprintf("%d of %d steps passed", n, v.steps())
		case n == 1:
			return "Step passed"
		case n == 2:
			return "Both steps passed"
		}
		return fmt.Sprintf("All %d steps passed", n)
	}
	return "Step " + strconv.Itoa(v.Step+1) + " of " + strconv.Itoa(v.steps())
}

// hintWord returns what the button says that opens the next hint.
func (v BarView) hintWord() string {
	switch {
	case v.Hints == 1:
		return "Hint"
	case v.HintsOpen < v.Hints:
		return fmt.Sprintf("Hint %d of %d", v.HintsOpen+1, v.Hints)
	}
	return "Hints"
}

// LineOf returns a request's method and the target that tells one from another: without /api/v1, or /apis.
func LineOf(method, target string) string {
	for _, prefix := range []string{"/api/v1/", "/apis/"} {
		if rest, is := strings.CutPrefix(target, prefix); is {
			target = rest
			break
		}
	}
	return method + " " + target
}

// Most of what the bar shows of a question: answers, characters of one, and characters of the question.
const mostAnswers, mostAnswer, mostQuestion = 4, 14, 90

// AskOf returns what the bar shows of a question, with its choices in an order, of which one is chosen.
func AskOf(p *format.Prediction, order []int, chosen string) (v AskView) {
	if p.Value != nil || len(p.Choices) > mostAnswers {
		return v
	}
	for _, i := range order {
		text := plain(p.Choices[i].Text)
		if utf8.RuneCountInString(text) > mostAnswer {
			return AskView{}
		}
		v.Answers = append(v.Answers, AnswerView{Number: i, Text: text, Chosen: chosen == strconv.Itoa(i)})
	}
	if v.Text = plain(p.Question); utf8.RuneCountInString(v.Text) > mostQuestion {
		v.Text = ""
	}
	return v
}

// plain returns a line of Markdown without its marks; references between braces stay.
func plain(markdown string) string { return strings.NewReplacer("`", "", "**", "").Replace(markdown) }

// moreWord returns what the button says that shows all of the bar, or one line.
func (v BarView) moreWord() string {
	if v.More {
		return "Less"
	}
	return "More"
}

// Verdicts returns what is new in the bar since another view of the same step, in
// words for those who do not see it: checks that are done now, and what was
// missed, or why it cannot pass. A step that has passed is not among them.
func (v BarView) Verdicts(before BarView) []string {
	if v.Lesson != before.Lesson || v.Step != before.Step || len(v.Checks) != len(before.Checks) {
		return nil
	}
	var out []string
	say := func(text string) { out = append(out, strings.ReplaceAll(text, "`", "")) } // which mark code
	for i, c := range v.Checks {
		if c.Done && !before.Checks[i].Done && !v.passed() {
			say("Done: " + c.Text)
		}
		if c.Miss != "" && c.Miss != before.Checks[i].Miss && v.Trouble == "" {
			say("Not yet: " + strings.TrimSuffix(c.Miss, "."))
		}
	}
	if v.Trouble != "" && v.Trouble != before.Trouble {
		out = append(out, v.Trouble)
	}
	return out
}
