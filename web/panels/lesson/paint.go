package lesson

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/lesson/picture"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/lesson/view"
	"github.com/tabernetes/tabernetes/web/panels/stage"
)

// paintSteps shows which steps of a lesson are passed. It writes only what is not on the
// page yet.
func (p *lessonPanel) paintSteps(d *document) {
	for i := range d.passed {
		if passed := d.session.Step(i).Passed; passed != d.passed[i] {
			d.passed[i] = passed
			d.article.passed(i, passed)
		}
	}
	p.paintPredictions(d)
}

// paint shows the open lesson's bar and buttons, and says what is new in the bar to those
// who do not see it.
func (p *lessonPanel) paint() {
	p.tell()
	d := p.open
	if d == nil {
		return
	}
	view := p.barView(d)
	for _, verdict := range view.Verdicts(d.bar) {
		p.lab.Announce(verdict)
	}
	p.paintRuns()
	view.Run = p.nextRun(d)
	d.bar = view
	d.article.bar(&d.bar)
	for i := range d.lesson.Steps {
		d.article.trouble(i, p.troubleOf(d, i), d.asked)
	}
	d.article.values(func(reference string) string { return shownValue(d.session, reference) })
	p.paintScores()
}

// paintScores shows how many requests were made for the open lesson's goals.
func (p *lessonPanel) paintScores() {
	d := p.open
	var asked app.GoalRequests
	if !p.pictured() {
		p.leaveBeside()
	}
	for i := range d.scores {
		if now := d.session.Score(i); now != nil && *now != d.scores[i] {
			d.scores[i] = *now
			d.article.score(i, *now)
		}
		p.paintPicture(d, i)
		if first, ids := d.session.Counted(i); len(ids) > 0 {
			asked = app.GoalRequests{IDs: ids, First: first, Fewest: d.scores[i].Fewest}
		}
	}
	if !slices.Equal(asked.IDs, p.counted) {
		p.counted = asked.IDs
		app.Emit(p.bus, asked)
	}
}

// paintPicture shows what is on the stage of the goal of a step, while that is shown.
func (p *lessonPanel) paintPicture(d *document, step int) {
	goal := d.lesson.Steps[step].Goal()
	if goal == nil || goal.Picture == nil || step != d.shown {
		return
	}
	requests := d.session.ForGoal(step)
	now := picture.Compare(goal.Picture, picture.Of(p.requests, requests, p.lab.Commit))
	now.Reached = d.session.Step(step).Passed
	now.Earlier = d.session.Score(step).Made > len(requests)
	drawn := fmt.Sprint(now.Now, now.Reached, now.Earlier)
	if beside := fmt.Sprint(d.id(), step, drawn); p.beside != beside {
		p.beside = beside
		p.column.beside(func() templ.Component { return stage.GoalBeside(now) })
	}
	if d.pictures[step] == drawn {
		return
	}
	d.pictures[step] = drawn
	d.article.picture(step, func() templ.Component { return stage.Goal(now) })
}

// leaveBeside removes the goal's picture from the place of the answer.
func (p *lessonPanel) leaveBeside() {
	if p.beside != "" {
		p.beside = ""
		p.column.beside(func() templ.Component { return templ.NopComponent })
	}
}

// seeGoal lets go of what is chosen, so that the picture of a goal is seen, which is in the place of the answer.
func (p *lessonPanel) seeGoal() {
	if p.pictured() {
		p.lab.Select(app.Selection{}, "lesson")
	}
}

// pictured reports whether what is written now may belong into a picture that is shown.
func (p *lessonPanel) pictured() bool {
	d := p.open
	if d == nil || d.shown >= len(d.lesson.Steps) || p.guest() {
		return false
	}
	goal := d.lesson.Steps[d.shown].Goal()
	return goal != nil && goal.Picture != nil
}

// troubleOf returns why a step cannot pass as it is; nil if it can, or another one is next.
func (p *lessonPanel) troubleOf(d *document, step int) *session.Trouble {
	if step != d.session.Current() || step != d.shown {
		return nil
	}
	return d.session.Step(step).Trouble
}

// maxRefText bounds the value that is shown in place of a reference, in bytes.
const maxRefText = 40

// shownValue returns what is shown in the place of a reference; empty as long as its value is not known.
func shownValue(s *session.Session, reference string) string {
	value, known := s.Value(reference)
	switch {
	case !known:
		return ""
	case len(value) > maxRefText:
		return strings.ToValidUTF8(value[:maxRefText], "") + "…"
	}
	return value
}

func (p *lessonPanel) barView(d *document) view.BarView {
	v := view.BarOf(d.session, d.shown, d.next)
	v.Live, v.Asking, v.More, v.Notice = true, p.asking, p.more, p.notice
	if d.shown < len(d.lesson.Steps) {
		v.HintsOpen, _ = d.article.opened(d.shown, "hint")
		v.Solution.Open = v.Solution.There && d.solutionsOpen()
	}
	v.SettingUp = d.asked
	if v.Question {
		q, _ := d.lesson.Steps[d.shown].Prediction()
		given := d.article.given(d.shown)
		v.Ask, v.Chosen = view.AskOf(q, p.mixed(d, d.shown, len(q.Choices)), given), given != ""
	}
	if d.question != nil {
		p.questionBar(&v, d)
	}
	return v
}

// solutionsOpen reports whether the shown step has solutions, and all are open.
func (d *document) solutionsOpen() bool {
	open, all := d.article.opened(d.shown, "solution")
	return all > 0 && open == all
}

// paintRuns shows on the Run buttons of the open lesson what they do, and fills the one that
// is to be pressed next. Those wait that come after a question.
func (p *lessonPanel) paintRuns() {
	d := p.open
	if d == nil {
		return
	}
	next := ""
	if d.shown < len(d.lesson.Steps) && p.troubleOf(d, d.shown) == nil { // else that is set up again first
		next = p.inPlace(d.session.NextRun(d.shown, d.solutionsOpen()))
	}
	for _, b := range d.boxes {
		run := p.running[runKey(d, b.at)]
		now := buttonView{Text: p.runText(d, b, run), Label: b.view.Label, Busy: run != nil && !run.stoppable,
			Held: d.session.Held(b.place.Step, b.place.Block)}
		now.Next = b.at == next && run == nil && !now.Held
		if b.view == now {
			continue
		}
		if b.view.Text == "Run again" && now.Text != b.view.Text && run == nil {
			p.clear(d, func(o *box) bool { return o == b }) // what it shows is of before the set-up
		}
		b.view = now
		d.article.button(b.at, now)
	}
}

// nextRun returns what the bar shows of the request that is to be run next.
func (p *lessonPanel) nextRun(d *document) view.RunView {
	b := d.toRun()
	if b == nil {
		return view.RunView{}
	}
	v := view.RunView{Label: b.view.Label, Text: b.view.Text, Busy: b.view.Busy}
	if p.inTerminal(b) {
		v.Line = b.command
	} else if out, err := d.session.Resolve(b.request); err == nil {
		v.Line = view.LineOf(out.Method, out.Target)
	} else {
		v.Line = view.LineOf(b.request.Method, b.request.Target)
	}
	return v
}

// toRun returns the request that is to be run next, or nil.
func (d *document) toRun() *box {
	if i := slices.IndexFunc(d.boxes, func(b *box) bool { return b.view.Next }); i >= 0 {
		return d.boxes[i]
	}
	return nil
}

// goOn does what the step needs next: what the bar's filled button says.
func (p *lessonPanel) goOn() {
	d := p.open
	if d == nil || d.shown >= len(d.lesson.Steps) {
		return
	}
	o := origin{lesson: d.id(), step: d.shown}
	switch {
	case d.bar.Trouble != "":
		p.setUpAgain()
		return
	case d.bar.Question && len(d.bar.Ask.Answers) == 0 && d.article.given(o.step) == "":
		d.article.toQuestion(o.step)
		return
	case d.bar.Question:
		if p.commit(o); !d.session.Answer(o.step).Committed() {
			d.article.toQuestion(o.step)
			return
		}
		if d.question != nil {
			return // its requests are under way
		}
	}
	if b := d.toRun(); b != nil {
		o.at = b.at
		p.run(o)
	}
}

// goneOn does what the step needs next, and reports whether there is anything: also while the bar, in which it is a
// button, has yet to be drawn.
func (p *lessonPanel) goneOn() bool {
	if p.open == nil || !p.open.bar.GoesOn() {
		return false
	}
	p.goOn()
	return true
}

// pickAnswer chooses one of the answers in the bar.
func (p *lessonPanel) pickAnswer(o origin) {
	if d := p.open; d != nil && d.bar.Question {
		d.article.choose(d.shown, numberOf(o.value))
		p.chosen()
	}
}

// runText says what a Run button does now, or waits for.
func (p *lessonPanel) runText(d *document, b *box, run *lessonRun) string {
	switch {
	case run != nil && p.waiting():
		return "Waiting for the API server"
	case run != nil && run.stoppable:
		return "Stop"
	case run != nil:
		return b.view.Text
	case d.session.HasRun(b.at):
		return "Run again"
	case b.along > 1 && !p.inTerminal(b):
		return fmt.Sprintf("Run these %d", b.along)
	}
	return "Run"
}

// waiting reports whether requests wait for the API server in this tab.
func (p *lessonPanel) waiting() bool {
	st := p.lab.State()
	return st.Target != "devserver" && (st.Phase == "" || st.Phase == "loading")
}
