package lesson

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// A page is a page of the column other than a lesson: practice, exam, progress.
type page struct {
	// name is the page that is open; empty when none is.
	name string
	// seed is that of the exam that the address names.
	seed       uint64
	said       string
	forgetting bool
}

// openPage shows one of the pages.
func (p *lessonPanel) openPage(target course.Target, chosen bool) {
	p.leaveOpen()
	p.later()
	p.page = page{name: target.Page, seed: target.Seed}
	if target.Page == "capstone" && target.Seed > 0 {
		p.setLevel(int(target.Seed))
	}
	p.column.openPage(target.Page)
	p.column.live()
	p.paintPage()
	p.paintPlace()
	p.column.pageTop(chosen)
	if chosen {
		p.lab.Open("lesson")
	}
}

func (p *lessonPanel) closePage() {
	if p.page.name != "" {
		p.page.name = ""
		p.column.closePage()
	}
}

// paintPage draws the page that is open.
func (p *lessonPanel) paintPage() {
	var view templ.Component
	switch p.page.name {
	case "practice":
		view = course.PracticePage(course.NewPracticeView(p.index, p.practice.queue, p.today(), p.randomSeed))
	case "exam":
		e := p.practice.exam
		wait := e.Wait(p.now())
		if p.page.seed != 0 && (e == nil || e.Seed != p.page.seed) && wait == 0 {
			e = nil // another one is offered
		}
		view = course.ExamPage(course.NewExamView(p.index, e, wait))
	case "capstone":
		view = course.CapstonePage(p.capstoneView())
	case "levels":
		view = course.LevelsPage()
	case "progress":
		v := course.NewProgressView(p.index, p.recordNow())
		v.Said, v.Forgetting, v.Teacher = p.page.said, p.page.forgetting, p.teacher
		view = course.ProgressPage(v)
	default:
		return
	}
	p.column.paintPage(view)
}

// saveExam hands the result of the exam to the learner, as text.
func (p *lessonPanel) saveExam() {
	text := course.NewExamView(p.index, p.practice.exam, 0).Text(p.now().Format(time.DateOnly))
	p.column.download(text, "text/plain", "tabernetes-exam.txt")
}

// saveRecord hands the learner's record to the learner.
func (p *lessonPanel) saveRecord() {
	p.column.download(p.recordNow().String(), "application/json", "tabernetes-progress.json")
}

// recordNow returns the learner's record as it is now.
func (p *lessonPanel) recordNow() *course.Record {
	r := course.NewRecord()
	for _, e := range p.index.Lessons {
		if d := p.docs[e.ID]; d != nil {
			r.Lessons[e.ID] = d.session.Progress()
		} else if p.store.get("lesson/"+e.ID) != "" {
			r.Lessons[e.ID] = p.progress(e.ID)
		}
	}
	r.Queue, r.Exam, r.Capstone = p.practice.queue, p.practice.exam, p.capstone.view.Passed
	if r.Exam != nil && r.Exam.Class {
		r.Exam = p.practice.own // that of a class stays in its room
	}
	return r
}

// loadRecord puts a saved record in the place of what is kept. failed is why it could not be read.
func (p *lessonPanel) loadRecord(text string, failed error) {
	r, err := (*course.Record)(nil), failed
	if err == nil {
		r, err = p.index.ParseRecord(text)
	}
	if err != nil {
		p.page.said = "Nothing was loaded: " + err.Error()
	} else {
		p.replaceRecord(r)
		p.page.said = "Loaded."
	}
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
		p.store.set("lesson/"+e.ID, progress.String())
		d := p.docs[e.ID]
		if d == nil {
			continue
		}
		d.session = session.New(d.lesson, progress, p.requests)
		d.session.SetCluster(p.settings.cluster)
		d.session.Recheck()
		p.clear(d, nil)
		p.paintSteps(d)
		p.showStep(d, d.session.Current())
		d.saved = ""
	}
	p.practice.queue, p.practice.exam = r.Queue, r.Exam
	p.capstone.view.Passed = r.Capstone
	p.store.set("capstone", strconv.Itoa(r.Capstone))
	p.store.set("capstone-controller", "")
	p.practice.own = nil
	p.store.set("exam-class", "")
	if r.Exam == nil {
		p.store.set("exam", "")
	}
	p.savePractice()
	p.examChanged()
	p.paintEntries()
}

// paintEntries shows in the course's list how far each lesson is.
func (p *lessonPanel) paintEntries() {
	for _, e := range p.index.Lessons {
		p.column.count(e.ID, course.ProgressText(e, p.passed(e.ID)))
	}
}

// passed returns how many steps of a lesson are passed.
func (p *lessonPanel) passed(id string) int {
	if d := p.docs[id]; d != nil {
		return d.session.Passed()
	}
	return len(p.progress(id).Passed)
}

// firstLook reports whether a document is the lesson before the numbered ones.
func (p *lessonPanel) firstLook(d *document) bool {
	return p.index.Lessons[0].ID == d.id() && p.index.Lessons[0].Number == 0
}

// paintPlace shows in the heading where the learner is, and how much is due.
func (p *lessonPanel) paintPlace() {
	v := placeView{Entry: p.page.name}
	if p.open != nil {
		v.Entry = p.open.id()
		i := p.index.Lesson(v.Entry)
		if v.First = i == 0 && !(p.firstLook(p.open) && p.open.shown == len(p.open.lesson.Steps)); i >= 0 {
			v.Text = course.Place(p.index, i)
		}
	}
	due := len(p.practice.queue.Due(p.today()))
	if due > 0 {
		v.Due = course.DueWords(due)
	}
	p.column.place(v)
	p.column.count("practice", course.DueText(due))
	p.column.count("capstone", course.LevelText(p.capstone.view.Passed))
}
