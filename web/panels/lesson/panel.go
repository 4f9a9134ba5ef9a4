package lesson

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/lesson/view"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// recheckAfter is how long tap events gather before checks look at them.
const recheckAfter = 80 * time.Millisecond

// lessonPanel is the column's model: what is open, how far it is, and what happens next. Like the page it has one
// thread: two of its functions may be under way at the same time only where one of them waits.
type lessonPanel struct {
	lab    lab
	store  store
	column column

	bus      *app.Bus
	requests *tap.Log
	index    *course.Index
	// now returns the time, after sends it when a while has passed; draw returns a random number below n.
	now   func() time.Time
	after func(time.Duration) <-chan time.Time
	draw  func(n int) int
	// checkSoon has recheck run after recheckAfter, once for all calls until then.
	checkSoon func()

	// docs are the lessons and questions that are loaded, by their ids; open is the one that
	// is shown, nil while a page is: the practice, the exam, the progress.
	docs map[string]*document
	open *document
	page page
	// wanted is what was asked for last: what arrives later than that is not shown.
	wanted int
	decks  map[string]*course.Deck

	// where is the place of the learner that was reported last.
	where app.LessonAt
	// counted are the requests that count for the open lesson's goal, as the log shows them.
	counted []int
	// beside says which goal's picture is in the place of the answer, and how it is drawn; empty: none.
	beside string
	// running are the requests under way, by lesson and address.
	running map[string]*lessonRun

	// endRedo ends the watches of the steps that were done again last; nil if no watches are open.
	endRedo context.CancelFunc

	// What the bar holds besides the lesson's state.
	notice       view.Notice
	asking, more bool

	settings lessonSettings
	practice practice
	capstone capstone
	teacher  bool
	// kubectl says that lessons are done with kubectl where there are commands; closed, why other panels are closed.
	kubectl bool
	closed  string
}

// A document is a lesson, or a question as a lesson of one step: its model, and its article.
type document struct {
	lesson  *format.Lesson
	session *session.Session
	article article
	// shown is the index of the step that the bar is about; the number of steps for the lesson's end.
	shown int
	bar   view.BarView
	// passed and scores are what the article shows of the steps, boxes are the requests.
	passed []bool
	scores []session.Score
	// pictures say what is drawn of the steps' goals; empty: nothing yet.
	pictures []string
	boxes    []*box
	// saved is the progress as it was stored last.
	saved string
	// settingUp reports whether the lesson makes what it starts with, or does steps again: what passes meanwhile is its
	// own doing.
	settingUp bool
	// asked reports whether a button has asked to set a step up again, and that is not done yet.
	asked bool
	// question is where a question comes from; nil for a lesson.
	question *question
	next     view.NextLink
}

// id returns the lesson's.
func (d *document) id() string { return d.lesson.ID }

// restore takes what earlier visits have kept. The first document is still to be adopted.
func (p *lessonPanel) restore() {
	p.docs, p.decks, p.running = map[string]*document{}, map[string]*course.Deck{}, map[string]*lessonRun{}
	p.settings.known = make(chan struct{})
	p.settings.record = p.keptRecord()
	p.loadPractice()
	p.loadCapstone()
	p.setWay(p.store.get("way"))
}

// listen has the panel take part in what happens on the page.
func (p *lessonPanel) listen() {
	app.On(p.bus, p.observe)
	app.On(p.bus, func(app.State) { p.paintRuns() })
	app.On(p.bus, func(e app.EntryChanged) { p.entryChanged(e.ID) })
	app.On(p.bus, p.goAlong)
	open := p.column.classExam()
	app.On(p.bus, func(e app.RoomExam) {
		was := open
		open = e.Open // what follows may say something of it too
		p.roomExam(was, open, e.Over)
	})
	app.On(p.bus, func(f revisions.Frame) {
		if f.State != nil && !p.guest() {
			p.setCluster(f.State.Cluster)
		}
		if f.Commit != nil && p.pictured() {
			p.checkSoon()
		}
	})
}

// observe takes a tap event. Its checks run a moment later, once for all events that come
// until then.
func (p *lessonPanel) observe(ev tap.Event) {
	if ev.Past { // it was observed when it happened
		return
	}
	guest := p.guest() || tap.Passing(ev.Place) // what a lesson waits for happens in its own cluster
	if !guest && ev.Type == tap.Request && ev.Method == "PUT" && ev.URL == wellknown.ControlPlane+"/snapshot" {
		p.settings.restored = ev.Origin == string(session.FromLesson) || ev.Origin == string(session.FromSetup) ||
			ev.Origin == "console"
	}
	dirty := false
	for _, d := range p.docs {
		dirty = d.session.Observe(ev, d == p.open && !guest) || dirty
	}
	if dirty {
		p.checkSoon()
	}
}

func (p *lessonPanel) recheck() {
	for _, d := range p.docs {
		if d.settingUp || d.asked {
			continue
		}
		passed := d.session.Recheck()
		for _, step := range passed {
			p.stepPassed(d, step)
		}
		if len(passed) > 0 {
			p.paintSteps(d)
		}
		if d == p.open {
			p.keepUp(passed)
			p.paint()
		}
		if d == p.open || len(passed) > 0 {
			p.save(d)
		}
	}
}

// leave saves what is to be kept before the page is closed.
func (p *lessonPanel) leave() {
	p.recheck()
	if p.open != nil {
		p.save(p.open)
	}
}

// stepPassed shows that a step has passed, saves the progress, and makes practice due.
func (p *lessonPanel) stepPassed(d *document, step int) {
	l := d.lesson
	said := fmt.Sprintf("Passed step %d of %d, %s", step+1, len(l.Steps), l.Steps[step].Title)
	answer := d.session.Answer(step)
	if d.question != nil {
		p.questionPassed(d, answer)
		said = "Done"
	}
	if answer.Known() && d == p.open && d.shown == step {
		d.article.showVerdict(step)
	}
	switch {
	case !answer.Known() || answer.Skipped:
	case answer.Correct():
		said += ". Your prediction was right"
	default:
		said += ". Your prediction was wrong"
	}
	if score := d.session.Score(step); score != nil {
		said += ". " + score.String()
	}
	p.lab.Announce(said)
	if d.question != nil {
		return
	}
	if answer.Known() && !answer.Skipped && !answer.Correct() {
		p.recall(l.ID, step+1, l.Steps[step].Title)
	}
	if d.session.Passed() == len(l.Steps) {
		p.lab.Announce("The lesson " + l.Title + " is done")
		p.lessonDone(l.ID)
	}
}

// keepUp shows the step that the learner has continued to without pressing Next.
func (p *lessonPanel) keepUp(passed []int) {
	s, shown := p.open.session, p.open.shown
	if shown >= len(p.open.lesson.Steps) || !s.Step(shown).Passed {
		return
	}
	if n := len(passed); n > 0 && passed[n-1] > shown {
		p.show(passed[n-1], false)
		return
	}
	if at := s.Current(); at > shown && at < len(p.open.lesson.Steps) && s.Asked(at) {
		if st := s.Step(at); st.Miss != "" || st.Rows[0].Done {
			p.show(at, false)
		}
	}
}

// save keeps a lesson's progress. That of a practice question is not kept; note keeps whether it was answered right.
func (p *lessonPanel) save(d *document) {
	if d.question != nil {
		return
	}
	if text := d.session.Progress().String(); text != d.saved {
		d.saved = text
		p.store.set("lesson/"+d.id(), text)
		p.paintEntries()
	}
}

// say puts a notice into the bar; an empty one removes it.
func (p *lessonPanel) say(n view.Notice) {
	if n.Text != "" && n.Text != p.notice.Text {
		p.lab.Announce(strings.TrimSuffix(n.Text, "."))
	}
	p.notice = n
	p.paint()
}

// dismiss removes the notice and its buttons.
func (p *lessonPanel) dismiss() {
	p.say(view.Notice{})
	if p.open != nil {
		p.open.article.focusNext()
	}
}

// toggleMore shows all of the bar, or one line of it.
func (p *lessonPanel) toggleMore() {
	p.more = !p.more
	p.paint()
}
