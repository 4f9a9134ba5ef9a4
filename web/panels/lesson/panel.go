//go:build js && wasm

package lesson

import (
	"context"
	"fmt"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/lesson/view"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

func init() { Start = start }

// recheckAfter is how long tap events gather before checks look at them.
const recheckAfter = 80 * time.Millisecond

// lessonPanel is the column.
type lessonPanel struct {
	app   *app.App
	index *course.Index
	// column is the element that all articles are in.
	column *dom.Element

	// docs are the lessons and questions that are loaded, by their ids; open is the one that
	// is shown, nil while a page is: the practice, the exam, the progress.
	docs map[string]*document
	open *document
	page page
	// wanted is what was asked for last: what arrives later than that is not shown.
	wanted int
	decks  map[string]*course.Deck

	// counted are the requests that count for the open lesson's goal, as the log shows them.
	counted []int
	// check looks at the conditions again.
	check app.Later
	// running are the requests under way, by lesson and address.
	running map[string]*lessonRun

	// endRedo ends the watches of the steps that were done again last; nil if there are none.
	endRedo context.CancelFunc

	// What the bar holds besides the lesson's state.
	notice       view.Notice
	asking, more bool

	settings lessonSettings
	practice practice
	capstone capstone
	teacher  bool
}

// A document is a lesson, or a question as a lesson of one step: its model, and its elements.
type document struct {
	lesson  *format.Lesson
	session *session.Session
	drawn   *drawnLesson
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

func start(a *app.App) {
	panel := a.Panel("lesson")
	if panel == nil {
		return
	}
	p := &lessonPanel{app: a, column: panel.QuerySelector(".lessons"), docs: map[string]*document{},
		decks:   map[string]*course.Deck{},
		running: map[string]*lessonRun{}}
	if p.index = a.Course(); len(p.index.Lessons) == 0 {
		return
	}
	a.Yield() // what the first lesson needs is most of the lab's start
	p.check = app.Later{Wait: recheckAfter, Run: p.recheck}
	p.settings.known = make(chan struct{})
	p.settings.record = loadRecord()
	p.loadPractice()
	p.setWay(stored("way"))
	if err := p.adopt(p.column.QuerySelector(".lesson")); err != nil {
		js.Global().Get("console").Call("error", err.Error())
		return
	}
	a.Yield()
	p.actions()
	p.paintEntries()
	p.examChanged()
	a.Yield()
	p.openFirst()
	p.welcome()
	app.On(a.Bus, p.observe)
	app.On(a.Bus, func(app.State) { p.paintRuns() })
	app.On(a.Bus, func(e app.EntryChanged) {
		if p.open == nil {
			return
		}
		for _, b := range p.open.drawn.boxes {
			if b.made == e.ID { // its revisions may be known after its answer
				a.RenderFunc(b.chip, b.draw)
			}
		}
	})
	app.On(a.Bus, p.goAlong)
	open := a.Exam.Open
	app.On(a.Bus, func(e app.RoomExam) {
		p.roomExam(open, e.Open)
		open = e.Open
	})
	app.On(a.Bus, func(f revisions.Frame) {
		if f.State != nil && !p.guest() {
			p.setCluster(f.State.Cluster)
		}
	})
	js.Global().Call("addEventListener", "pagehide", js.FuncOf(func(js.Value, []js.Value) any {
		p.recheck()
		if p.open != nil {
			p.save(p.open)
		}
		return nil
	}))
}

// actions wires the buttons and keys.
func (p *lessonPanel) actions() {
	a := p.app
	plain := func(name string, do func()) { a.Action(name, func(*dom.Element, dom.Event) { do() }) }
	a.Action("lesson-run", p.run)
	a.Action("lesson-way", p.chooseWay)
	a.Action("lesson-compose", p.compose)
	a.Action("lesson-copy", p.copy)
	a.Action("lesson-open", p.follow)
	a.Action("lesson-menu", p.menuEvent)
	plain("lesson-next", p.next)
	a.Action("lesson-unfolded", p.unfolded)
	a.Action("lesson-show", func(el *dom.Element, _ dom.Event) { p.show(stepOf(el), true) })
	a.Action("lesson-catch-up", p.setUpAgain)
	a.Action("lesson-reveal", p.reveal)
	plain("lesson-toggled", p.paint)
	a.Action("lesson-again", p.again)
	a.Action("lesson-set-up", p.setUpAgain)
	plain("lesson-ask", func() { p.ask(true) })
	plain("lesson-keep", func() { p.ask(false) })
	plain("lesson-restart", p.restart)
	plain("lesson-more", func() {
		p.more = !p.more
		p.paint()
	})
	plain("lesson-dismiss", func() {
		p.say(view.Notice{})
		p.focusNext()
	})
	a.Key("r", func(js.Value) bool {
		return p.open != nil && press(p.open.drawn.article.QuerySelector(
			":is([data-action=lesson-run], [data-action=lesson-set-up]).primary:enabled"))
	})
	a.Key("n", func(js.Value) bool {
		return p.open != nil && press(p.open.drawn.bar.QuerySelector(".lesson-next:is(a, button:enabled)"))
	})
	plain("lesson-set", p.onOpen(func(d *document) { go p.begin(d, true) }))
	plain("lesson-give-back", func() { go p.tidyUp() })
	plain("lesson-put-back", p.askToPutBack)
	plain("lesson-put-back-now", func() { go p.putBack() })
	a.Action("lesson-commit", p.commit)
	a.Action("lesson-typed", p.typed)
	a.Action("lesson-skip", p.skip)
	plain("lesson-teach", p.teach)
	plain("lesson-own", func() {
		p.say(view.Notice{})
		p.app.SetTarget("tab")
	})
	p.pageActions()
}

// onOpen returns a function that calls do with the open document, if there is one.
func (p *lessonPanel) onOpen(do func(*document)) func() {
	return func() {
		if p.open != nil {
			do(p.open)
		}
	}
}

// observe takes a tap event. Its checks run a moment later, once for all events that come
// until then.
func (p *lessonPanel) observe(ev tap.Event) {
	if ev.Past { // it was observed when it happened
		return
	}
	guest := p.guest() // what a lesson waits for goes on in its own cluster
	if !guest && ev.Type == tap.Request && ev.Method == "PUT" && ev.URL == wellknown.ControlPlane+"/snapshot" {
		p.settings.restored = ev.Origin == string(session.FromLesson) || ev.Origin == string(session.FromSetup) ||
			ev.Origin == "console"
	}
	dirty := false
	for _, d := range p.docs {
		dirty = d.session.Observe(ev, d == p.open && !guest) || dirty
	}
	if dirty {
		p.check.Do()
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

// stepPassed shows that a step has passed, saves the progress, and makes practice due.
func (p *lessonPanel) stepPassed(d *document, step int) {
	l := d.lesson
	said := fmt.Sprintf("Passed step %d of %d, %s", step+1, len(l.Steps), l.Steps[step].Title)
	answer := d.session.Answer(step)
	if d.question != nil {
		p.questionPassed(d, answer)
		said = "Done"
	}
	if answer.Known() && d == p.open && d.drawn.shown == step {
		p.showVerdict(d, step)
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
	p.app.Announce(said)
	if d.question != nil {
		return
	}
	if answer.Known() && !answer.Skipped && !answer.Correct() {
		p.recall(l.ID, step+1, l.Steps[step].Title)
	}
	if d.session.Passed() == len(l.Steps) {
		p.app.Announce("The lesson " + l.Title + " is done")
		p.lessonDone(l.ID)
	}
}

// keepUp shows the step that the learner has continued to without pressing Next.
func (p *lessonPanel) keepUp(passed []int) {
	s, shown := p.open.session, p.open.drawn.shown
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

// save keeps a lesson's progress. A question's is not kept: what came of it is.
func (p *lessonPanel) save(d *document) {
	if d.question != nil {
		return
	}
	if text := d.session.Progress().String(); text != d.saved {
		d.saved = text
		store("lesson/"+d.id(), text)
		p.paintEntries()
	}
}

// say puts a notice into the bar; an empty one takes it away.
func (p *lessonPanel) say(n view.Notice) {
	if n.Text != "" && n.Text != p.notice.Text {
		p.app.Announce(trimDot(n.Text))
	}
	p.notice = n
	p.paint()
}
