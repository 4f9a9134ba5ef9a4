package lesson

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// practice is what the panel keeps of practice and exam.
type practice struct {
	queue course.Queue
	// exam is the one that is taken, or was taken last; own is the learner's own while that of a class is taken.
	exam, own *course.Exam
	// session are the templates of the present session that are left, beginning with the one that is open.
	session []string
	total   int
}

// A question is where a question's document comes from.
type question struct {
	Template string
	Seed     int
	// exam is its place in the exam; -1 in practice. noted says that its outcome was.
	exam  int
	noted bool
	// sure says that the learner is sure of the answer.
	sure bool
}

func (p *lessonPanel) loadPractice() {
	p.practice.queue = p.index.ParseQueue(p.store.get("practice"))
	p.practice.exam = p.index.ParseExam(p.store.get("exam"))
	if class := p.index.ParseExam(p.store.get("exam-class")); class != nil {
		p.practice.own, p.practice.exam = p.practice.exam, class
	}
}

func (p *lessonPanel) savePractice() {
	keep := func(key string, v any) {
		if b, err := json.Marshal(v); err == nil {
			p.store.set(key, string(b))
		}
	}
	keep("practice", p.practice.queue)
	if e := p.practice.exam; e != nil && e.Class {
		keep("exam-class", e)
	} else if e != nil {
		keep("exam", e)
	}
	p.paintPlace()
}

// today returns the day's number in the learner's calendar.
func (p *lessonPanel) today() int {
	now := p.now()
	_, offset := now.Zone()
	return int((now.Unix() + int64(offset)) / (24 * 60 * 60))
}

func (p *lessonPanel) randomSeed(t course.Template) int { return 1 + p.draw(max(t.Seeds, 1)) }

// lessonDone makes a lesson's templates due.
func (p *lessonPanel) lessonDone(id string) {
	p.practice.queue.Add(p.index.Of(id), p.today())
	p.savePractice()
}

// recall makes due again what a step is about that was predicted wrong: the templates that come from it, or else all of
// the lesson.
func (p *lessonPanel) recall(id string, step int, title string) {
	var ids []string
	for _, t := range p.index.Templates {
		if t.Lesson == id && t.Step == step {
			ids = append(ids, t.ID)
		}
	}
	if ids == nil {
		ids = p.index.Of(id)
	}
	p.practice.queue.Recall(ids, course.Mistake{Lesson: id, Step: step, Title: title}, p.today())
	p.savePractice()
}

// openQuestion draws a situation and shows it. It blocks.
func (p *lessonPanel) openQuestion(id string, seed, wanted int) {
	deck, err := p.deck(id)
	if wanted != p.wanted {
		return
	}
	if err != nil {
		p.lab.Alert("The question could not be loaded: " + err.Error())
		return
	}
	l, err := deck.Situation(seed)
	if err != nil {
		p.lab.Alert("The question could not be made: " + err.Error())
		return
	}
	t := p.index.Template(id)
	q := &question{Template: id, Seed: seed, exam: -1}
	if e := p.practice.exam; e != nil && len(p.practice.session) == 0 {
		for i, asked := range e.Questions {
			if !asked.Answered && i == e.Next() && asked.Template == id && asked.Seed == seed {
				q.exam = i
			}
		}
	}
	if len(p.practice.session) > 0 && p.practice.session[0] != id {
		p.practice.session = nil // somebody has gone elsewhere
	}
	d := &document{lesson: l, session: session.New(l, session.Progress{}, p.requests), question: q,
		next: view.NextLink{Href: p.index.StepLink(t.Lesson, t.Step), Title: "the step that this comes from",
			Label: "To the lesson"}}
	p.discard(id)
	var html bytes.Buffer
	var on article
	if err = view.Article(*l, d.next, "").Render(context.Background(), &html); err == nil {
		on, err = p.column.insert(id, html.String())
	}
	if err != nil {
		p.lab.Alert("The question could not be drawn: " + err.Error())
		return
	}
	p.add(d, on)
	p.later()
	p.openAsked(d)
	p.enter(d, -1, true)
}

// questionPassed notes the outcome of a question.
func (p *lessonPanel) questionPassed(d *document, a session.Answer) {
	p.giveAnswer(d)
	asks, _ := d.lesson.Steps[0].Prediction()
	p.note(d, asks == nil || a.Correct())
}

// giveUp ends a question that has not been done.
func (p *lessonPanel) giveUp() {
	if d := p.open; d != nil && d.question != nil {
		p.note(d, false)
		p.nextQuestion()
	}
}

// note keeps whether a question was answered right, once.
func (p *lessonPanel) note(d *document, right bool) {
	q := d.question
	if q.noted {
		return
	}
	q.noted = true
	if asked := p.asked(d); asked != nil {
		asked.Answered, asked.Right = true, right
	}
	p.practice.queue.Answered(q.Template, right, q.sure, p.today())
	p.savePractice()
	p.examChanged()
}

// startPractice begins a session with what is due.
func (p *lessonPanel) startPractice() {
	p.later()
	p.practice.session = p.practice.queue.Session(p.index, p.today())
	p.practice.total = len(p.practice.session)
	p.askNext()
}

// askNext opens the first question that is left in the session, or the page of practice if no question is
// left.
func (p *lessonPanel) askNext() {
	if len(p.practice.session) == 0 {
		p.column.goHash("#practice")
		return
	}
	t := p.index.Template(p.practice.session[0])
	p.column.goHash(course.PracticeLink(t.ID, p.randomSeed(*t)))
}

// nextQuestion continues from one that is done.
func (p *lessonPanel) nextQuestion() {
	q := p.open.question
	switch {
	case q.exam >= 0:
		p.askExam()
	case len(p.practice.session) > 0:
		p.practice.session = p.practice.session[1:]
		p.askNext()
	default:
		p.column.goHash("#practice")
	}
}

// questionBar changes the bar for a question: there is one step, and no help in the exam.
func (p *lessonPanel) questionBar(v *view.BarView, d *document) {
	v.Asked = "Practice"
	switch q := d.question; {
	case q.exam >= 0:
		v.At, v.Of = q.exam, len(p.practice.exam.Questions)
		v.Asked = fmt.Sprintf("Exam, question %d of %d", v.At+1, v.Of)
		v.Hints, v.Solution, v.Exam = 0, view.Reveal{}, true
	case len(p.practice.session) > 0:
		v.At, v.Of = p.practice.total-len(p.practice.session), p.practice.total
		v.Asked = fmt.Sprintf("Practice, %d of %d", v.At+1, v.Of)
	}
	v.Seed = d.question.Seed
}

// shareQuestion copies a link to the situation that is open.
func (p *lessonPanel) shareQuestion() {
	if d := p.open; d != nil && d.question != nil {
		p.lab.Copy(p.column.link(course.PracticeLink(d.question.Template, d.question.Seed)), "a link to this situation")
	}
}

// setSure keeps whether the learner is sure of the answer, before it is given.
func (p *lessonPanel) setSure(o origin) {
	if d := p.open; d != nil && d.question != nil {
		d.question.sure = o.on
	}
}

// mayBeSure reports whether the learner can still say so.
func (p *lessonPanel) mayBeSure() bool {
	return p.open != nil && p.open.question != nil && !p.open.session.Answer(0).Committed()
}

// welcome greets who comes back on another day, if something is due.
func (p *lessonPanel) welcome() {
	last, _ := strconv.Atoi(p.store.get("visited"))
	p.store.set("visited", strconv.Itoa(p.today()))
	due := len(p.practice.queue.Due(p.today()))
	if last == 0 || last >= p.today() || due == 0 {
		return
	}
	p.column.welcome(course.Welcome(due, p.today()-last))
}

// later removes the greeting.
func (p *lessonPanel) later() { p.column.welcome("") }
