//go:build js && wasm

package lesson

import (
	"strconv"
	"syscall/js"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// A page is a page of the column other than a lesson: practice, exam, progress.
type page struct {
	// name is the page that is open; empty when none is.
	name          string
	article, text *dom.Element
	// seed is that of the exam that the address names.
	seed       uint64
	said       string
	forgetting bool
}

func (p *lessonPanel) pageActions() {
	a := p.app
	plain := func(name string, do func()) { a.Action(name, func(*dom.Element, dom.Event) { do() }) }
	p.capstoneActions()
	plain("practice-start", p.startPractice)
	plain("practice-give-up", p.giveUp)
	plain("practice-later", p.later)
	p.sureActions()
	a.Action("practice-share", p.shareQuestion)
	plain("exam-begin", p.beginExam)
	plain("exam-next", p.askExam)
	plain("exam-pass", p.passExam)
	plain("exam-class", p.beginClass)
	plain("exam-own", func() {
		p.leaveClass()
		p.paintPage()
	})
	plain("exam-print", func() { js.Global().Call("print") })
	plain("exam-save", func() {
		app.Download(course.NewExamView(p.index, p.practice.exam, 0).Text(time.Now().Format(time.DateOnly)), "text/plain",
			"tabernetes-exam.txt")
	})
	plain("progress-save", func() { app.Download(p.recordNow().String(), "application/json", "tabernetes-progress.json") })
	plain("progress-pick", func() { a.Doc.GetElementByID("progress-file").Underlying().Call("click") })
	a.Action("progress-load", func(el *dom.Element, _ dom.Event) { go p.loadRecord(el) })
	plain("progress-forget", p.forget)
}

// openPage shows one of the pages.
func (p *lessonPanel) openPage(to course.Target, chosen bool) {
	p.leaveOpen()
	p.later()
	p.column.Underlying().Call("toggleAttribute", "data-wide", to.Page == "capstone")
	pg := &p.page
	if pg.article == nil {
		v := p.app.Doc.Underlying().Call("createElement", "article")
		v.Set("className", "lesson course-page")
		text := p.app.Doc.Underlying().Call("createElement", "div")
		text.Set("className", "lesson-text")
		v.Call("append", text)
		p.column.Underlying().Call("append", v)
		pg.article, pg.text = dom.Wrap(v), dom.Wrap(text)
	}
	pg.name, pg.seed, pg.said, pg.forgetting = to.Page, to.Seed, "", false
	if pg.name == "capstone" {
		p.openLevel(int(pg.seed))
	}
	pg.article.SetAttribute("data-open", "")
	p.column.SetAttribute("data-live", "")
	p.paintPage()
	p.paintPlace()
	pg.text.Underlying().Set("scrollTop", 0)
	if chosen {
		p.app.Open("lesson")
		p.soon(func() { moveFocus(pg.text.QuerySelector(".lesson-title")) })
	}
}

func (p *lessonPanel) closePage() {
	if p.page.name != "" {
		p.page.name = ""
		p.column.RemoveAttribute("data-wide")
		p.page.article.RemoveAttribute("data-open")
	}
}

// paintPage draws the page that is open.
func (p *lessonPanel) paintPage() {
	var view templ.Component
	switch p.page.name {
	case "practice":
		view = course.PracticePage(course.NewPracticeView(p.index, p.practice.queue, today(), randomSeed))
	case "exam":
		e := p.practice.exam
		wait := e.Wait(time.Now())
		if p.page.seed != 0 && (e == nil || e.Seed != p.page.seed) && wait == 0 {
			e = nil // another one is offered
		}
		view = course.ExamPage(course.NewExamView(p.index, e, wait))
	case "capstone":
		view = course.CapstonePage(p.capstoneView())
		p.soon(p.mountEditor)
	case "progress":
		v := course.NewProgressView(p.index, p.recordNow())
		v.Said, v.Forgetting, v.Teacher = p.page.said, p.page.forgetting, p.teacher
		view = course.ProgressPage(v)
	default:
		return
	}
	p.app.Render(p.page.text, view)
}

// recordNow returns the learner's record as it is now.
func (p *lessonPanel) recordNow() *course.Record {
	r := course.NewRecord()
	for _, e := range p.index.Lessons {
		if d := p.docs[e.ID]; d != nil {
			r.Lessons[e.ID] = d.session.Progress()
		} else if text := stored("lesson/" + e.ID); text != "" {
			r.Lessons[e.ID] = session.ParseProgress(text)
		}
	}
	r.Queue, r.Exam, r.Capstone = p.practice.queue, p.practice.exam, p.capstone.view.Passed
	if r.Exam != nil && r.Exam.Class {
		r.Exam = p.practice.own // that of a class stays in its room
	}
	return r
}

// loadRecord puts a saved record in the place of what is kept. It blocks.
func (p *lessonPanel) loadRecord(input *dom.Element) {
	file := input.Underlying().Get("files").Index(0)
	if !file.Truthy() {
		return
	}
	text, err := app.Await(file.Call("text"))
	var r *course.Record
	if err == nil {
		r, err = p.index.ParseRecord(text.String())
	}
	input.Underlying().Set("value", "")
	if err != nil {
		p.page.said = "Nothing was loaded: " + err.Error()
		p.paintPage()
		return
	}
	p.replaceRecord(r)
	p.page.said = "Loaded."
	p.paintPage()
}

// forget deletes all progress, if it is pressed twice.
func (p *lessonPanel) forget() {
	if !p.page.forgetting {
		p.page.forgetting = true
		p.paintPage()
		return
	}
	p.page.forgetting = false
	p.replaceRecord(course.NewRecord())
	p.page.said = "All progress is deleted."
	p.paintPage()
}

// replaceRecord replaces the progress by a record.
func (p *lessonPanel) replaceRecord(r *course.Record) {
	for _, e := range p.index.Lessons {
		progress := r.Lessons[e.ID]
		store("lesson/"+e.ID, progress.String())
		d := p.docs[e.ID]
		if d == nil {
			continue
		}
		d.session = session.New(d.lesson, progress, p.app.Requests)
		d.session.SetCluster(p.settings.cluster)
		d.session.Recheck()
		p.clear(d.drawn.article)
		p.paintSteps(d)
		p.showStep(d, d.session.Current())
		d.saved = ""
	}
	p.practice.queue, p.practice.exam = r.Queue, r.Exam
	p.capstone.view.Passed = r.Capstone
	store("capstone", strconv.Itoa(r.Capstone))
	p.practice.own = nil
	store("exam-class", "")
	if r.Exam == nil {
		store("exam", "")
	}
	p.savePractice()
	p.examChanged()
	p.paintEntries()
}

// paintEntries shows in the course's list how far each lesson is.
func (p *lessonPanel) paintEntries() {
	for _, e := range p.index.Lessons {
		passed := 0
		if d := p.docs[e.ID]; d != nil {
			passed = d.session.Passed()
		} else {
			passed = len(session.ParseProgress(stored("lesson/" + e.ID)).Passed)
		}
		el := p.column.QuerySelector(`[data-lesson-count="` + e.ID + `"]`)
		setText(el, course.ProgressText(e, passed))
	}
}

// paintPlace shows in the heading where the learner is, and how much is due.
func (p *lessonPanel) paintPlace() {
	open, text := p.page.name, ""
	if d := p.open; d != nil {
		open = d.id()
		if i := p.index.Lesson(open); i >= 0 {
			text = course.Place(p.index, i)
		}
	}
	for _, el := range p.column.QuerySelectorAll("[data-entry]") {
		app.Toggle(el, "data-current", el.GetAttribute("data-entry") == open)
		if el.GetAttribute("data-entry") == open {
			el.SetAttribute("aria-current", "true")
		} else {
			el.RemoveAttribute("aria-current")
		}
	}
	setText(p.column.QuerySelector(".lesson-place"), text)
	line := p.column.QuerySelector(".course-line")
	setHidden(line, p.open == nil || p.index.Lesson(open) != 0)
	due := p.column.QuerySelector(".lesson-due")
	n := len(p.practice.queue.Due(today()))
	setHidden(due, n == 0)
	setText(due, course.DueWords(n))
	setText(p.column.QuerySelector(`[data-lesson-count="practice"]`), course.DueText(n))
	setText(p.column.QuerySelector(`[data-lesson-count="capstone"]`), course.LevelText(p.capstone.view.Passed))
}
