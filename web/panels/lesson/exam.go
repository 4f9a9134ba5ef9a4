package lesson

import (
	"github.com/tabernetes/tabernetes/web/course"
)

// closedText says why console and levers are closed.
const closedText = "A question of the exam is open: console, levers and the presenter’s commands are closed " +
	"until it is answered."

// asked returns the exam's question that a document is of; nil if it is of none.
func (p *lessonPanel) asked(d *document) *course.Question {
	e := p.practice.exam
	if d == nil || d.question == nil || d.question.exam < 0 || e == nil || d.question.exam >= len(e.Questions) {
		return nil
	}
	return &e.Questions[d.question.exam]
}

// openAsked notes that a question of the exam is open. An answer that it has been given already is given again.
func (p *lessonPanel) openAsked(d *document) {
	q := p.asked(d)
	if q == nil {
		return
	}
	if question, _ := d.lesson.Steps[0].Prediction(); question != nil {
		q.Open = true
	}
	switch q.Given {
	case "":
	case course.NoAnswer:
		d.session.Skip(0)
	default:
		d.session.Commit(0, q.Given)
	}
	p.paintPredictions(d)
	p.savePractice()
	p.examChanged()
}

// giveAnswer notes the first answer to a question of the exam.
func (p *lessonPanel) giveAnswer(d *document) {
	q := p.asked(d)
	if q == nil {
		return
	}
	switch a := d.session.Answer(0); {
	case a.Skipped:
		q.Give(course.NoAnswer)
	case a.Given != "":
		q.Give(a.Given)
	}
	p.savePractice()
	p.examChanged()
}

// examChanged closes console and levers while a question is open, wherever the learner is, and tells the room how far
// the exam is.
func (p *lessonPanel) examChanged() {
	why := ""
	if q := p.practice.exam.Current(); q != nil && q.Open && q.Given == "" {
		why = closedText
	}
	p.closed = why
	p.lab.Close(why)
	p.tellExam()
}

// tellExam tells the room how far its exam is, and whether a question of it is on the page.
func (p *lessonPanel) tellExam() {
	if e := p.practice.exam; e != nil && e.Class && !p.another(e) {
		p.column.report(e.Report().String(), p.asked(p.open) != nil)
		return
	}
	p.column.report("", false)
}

// another reports whether the exam that is open in the room is another one than that which was taken last.
func (p *lessonPanel) another(e *course.Exam) bool {
	open, who := p.column.classExam(), p.column.member()
	return open != nil && who != nil && !open.For(p.index, who.You).Same(e)
}

// askExam opens the exam's next question, or its result.
func (p *lessonPanel) askExam() {
	e := p.practice.exam
	if e.Current() == nil {
		p.column.goHash("#exam")
		return
	}
	p.practice.session = nil
	next := e.Questions[e.Next()]
	p.column.goHash(course.PracticeLink(next.Template, next.Seed))
}

// passExam gives up the question that is open, which is wrong then.
func (p *lessonPanel) passExam() {
	if q := p.practice.exam.Current(); q != nil {
		q.Answered = true
		p.practice.queue.Answered(q.Template, false, false, p.today())
		p.savePractice()
		p.examChanged()
		p.paintPage()
	}
}

// beginExam draws a new exam, of the seed that the address names if it does.
func (p *lessonPanel) beginExam() {
	last := p.practice.exam
	if last.Wait(p.now()) > 0 {
		p.paintPage()
		return
	}
	if last != nil && last.Class {
		p.leaveClass()
		last = p.practice.exam
	}
	e := course.NewExam(p.index, last.NextSeed(p.page.seed, p.draw))
	e.Begun = p.now().Unix()
	p.takeExam(&e)
}

func (p *lessonPanel) takeExam(e *course.Exam) {
	p.practice.exam = e
	p.savePractice()
	p.examChanged()
	p.askExam()
}

// beginClass takes the exam that is open in the room: in the tab's own cluster, as lessons are.
func (p *lessonPanel) beginClass() {
	open, who := p.column.classExam(), p.column.member()
	if open == nil || who == nil {
		return
	}
	p.lab.SetTarget("tab")
	e := open.For(p.index, who.You)
	if now := p.practice.exam; now != nil && now.Class && e.Same(now) {
		p.askExam()
		return
	}
	if now := p.practice.exam; now == nil || !now.Class {
		p.practice.own = now
	}
	p.takeExam(e)
}

// leaveClass puts the learner's own exam back.
func (p *lessonPanel) leaveClass() {
	if e := p.practice.exam; e != nil && e.Class {
		p.practice.exam, p.practice.own = p.practice.own, nil
		p.store.set("exam-class", "")
		p.examChanged()
	}
}

// toOwnExam goes back to the learner's own exam.
func (p *lessonPanel) toOwnExam() {
	p.leaveClass()
	p.paintPage()
}

// roomExam takes that an exam was opened in the room, or has ended, or that the page is in the room no longer: then no
// question is open any longer.
func (p *lessonPanel) roomExam(was, is *course.ClassExam, over bool) {
	e := p.practice.exam
	if is != nil && was == nil {
		p.tellExam()
	}
	if e == nil || !e.Class || e.Ended || is != nil || was == nil && !over {
		return
	}
	e.End(over)
	p.savePractice()
	p.examChanged()
	if d := p.open; d != nil && d.question != nil && d.question.exam >= 0 {
		p.column.goHash("#exam")
	}
}
