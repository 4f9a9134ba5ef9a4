//go:build js && wasm

package lesson

import (
	"fmt"
	"strings"
	"sync"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
	model "github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/lessons"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

func init() { Start = start }

// recheckAfter is how long tap events gather before checks look at them.
const recheckAfter = 80 * time.Millisecond

// lessonPanel keeps the lessons' states on the page. Their text was rendered
// when the page was built: the panel marks it, and fills the bar below it and
// the results.
type lessonPanel struct {
	app      *app.App
	lessons  []*model.Lesson
	sessions []*model.Session
	// open is the index of the lesson that is open.
	open   int
	booked bool
	// drawn are the lessons as they are on the page, saved is their progress as it
	// was stored last.
	drawn []*drawnLesson
	saved []string
	// running are the requests under way, by lesson and address.
	running map[string]*lessonRun

	// What the bar of the open lesson holds besides the lesson's state; dismissed
	// is the text of a notice that is not to be shown again.
	notice       model.Notice
	dismissed    string
	asking, more bool

	settings lessonSettings
}

// lessonSettings are what the panel keeps of the control plane's settings.
type lessonSettings struct {
	// cluster is the one that requests go to; known is closed when it is known.
	cluster string
	known   chan struct{}
	record  lessonRecord
	// busy is held while settings are read and set.
	busy sync.Mutex
	// own counts the bodies of the requests that set them, which no check sees.
	own map[string]int
}

func start(a *app.App) {
	if a.Panel("lesson") == nil {
		return
	}
	all, err := lessons.All()
	if err != nil { // the build has played them all
		js.Global().Get("console").Call("error", err.Error())
		return
	}
	p := &lessonPanel{app: a, lessons: all, running: map[string]*lessonRun{}, saved: make([]string, len(all))}
	p.settings = lessonSettings{known: make(chan struct{}), record: loadRecord(), own: map[string]int{}}
	for i, l := range all {
		s := model.NewSession(l, loadProgress(l.ID))
		s.Recheck()
		p.sessions = append(p.sessions, s)
		p.drawn = append(p.drawn, p.find(i))
		p.paintSteps(i)
	}
	p.actions()
	p.openFirst()
	app.On(a.Bus, p.observe)
	app.On(a.Bus, func(app.State) { p.paintRuns() })
	app.On(a.Bus, func(f revisions.Frame) {
		if f.State != nil {
			p.setCluster(f.State.Cluster)
		}
	})
	js.Global().Call("addEventListener", "pagehide", js.FuncOf(func(js.Value, []js.Value) any {
		p.recheck()
		p.save(p.open)
		return nil
	}))
}

func (p *lessonPanel) actions() {
	a := p.app
	a.Action("lesson-run", p.run)
	a.Action("lesson-compose", p.compose)
	a.Action("lesson-copy", p.copy)
	a.Action("lesson-open", p.follow)
	a.Action("lesson-menu", p.menuEvent)
	a.Action("lesson-next", func(*dom.Element, dom.Event) { p.next() })
	a.Action("lesson-show", func(el *dom.Element, _ dom.Event) { p.show(stepOf(el), true) })
	a.Action("lesson-unfold", func(*dom.Element, dom.Event) { p.showEnded() })
	a.Action("lesson-reveal", p.reveal)
	a.Action("lesson-toggled", func(*dom.Element, dom.Event) { p.paint() })
	a.Action("lesson-again", p.again)
	a.Action("lesson-ask", func(*dom.Element, dom.Event) { p.ask(true) })
	a.Action("lesson-keep", func(*dom.Element, dom.Event) { p.ask(false) })
	a.Action("lesson-restart", func(*dom.Element, dom.Event) { p.restart() })
	a.Action("lesson-more", func(*dom.Element, dom.Event) {
		p.more = !p.more
		p.paint()
	})
	a.Action("lesson-dismiss", func(*dom.Element, dom.Event) {
		p.dismissed = p.shownNotice().Text
		p.say(model.Notice{})
		p.focusNext()
	})
	a.Key("r", func(js.Value) bool {
		return press(p.drawn[p.open].article.QuerySelector("[data-action=lesson-run].primary"))
	})
	a.Key("n", func(js.Value) bool {
		return press(p.drawn[p.open].bar.QuerySelector(".lesson-next:is(a, button:enabled)"))
	})
	a.Action("lesson-set", func(*dom.Element, dom.Event) { go p.begin(p.open, true) })
	a.Action("lesson-give-back", func(*dom.Element, dom.Event) { go p.giveBack() })
}

func (p *lessonPanel) session() *model.Session { return p.sessions[p.open] }

func (p *lessonPanel) index(id string) int {
	for i, l := range p.lessons {
		if l.ID == id {
			return i
		}
	}
	return -1
}

// observe takes a tap event. Its checks run a moment later, once for all events
// that come until then.
func (p *lessonPanel) observe(ev tap.Event) {
	if ev.Type == tap.Request && ev.Origin == "lever" && p.settings.own[ev.Body] > 0 {
		p.settings.own[ev.Body]-- // made for the lesson, and not by the learner
		return
	}
	dirty := false
	for i, s := range p.sessions {
		dirty = s.Observe(ev, i == p.open) || dirty
	}
	if dirty {
		p.book()
	}
}

func (p *lessonPanel) book() {
	if p.booked {
		return
	}
	p.booked = true
	time.AfterFunc(recheckAfter, func() {
		p.booked = false
		p.recheck()
	})
}

func (p *lessonPanel) recheck() {
	for i, s := range p.sessions {
		passed := s.Recheck()
		for _, step := range passed {
			l := p.lessons[i]
			p.app.Announce(fmt.Sprintf("Passed step %d of %d, %s", step+1, len(l.Steps), l.Steps[step].Title))
			if s.Passed() == len(l.Steps) {
				p.app.Announce("The lesson " + l.Title + " is done")
			}
		}
		if len(passed) > 0 {
			p.paintSteps(i)
		}
		if i == p.open {
			p.keepUp(passed)
			p.paint()
		}
		if i == p.open || len(passed) > 0 {
			p.save(i)
		}
	}
}

// keepUp shows the step that the learner has gone on to without pressing Next.
func (p *lessonPanel) keepUp(passed []int) {
	s, shown := p.session(), p.drawn[p.open].shown
	if shown >= len(p.lessons[p.open].Steps) || !s.Step(shown).Passed {
		return
	}
	if n := len(passed); n > 0 && passed[n-1] > shown {
		p.show(passed[n-1], false)
		return
	}
	if at := s.Current(); at > shown && at < len(p.lessons[p.open].Steps) {
		if st := s.Step(at); st.Miss != "" || st.Rows[0].Done {
			p.show(at, false)
		}
	}
}

// save keeps a lesson's progress.
func (p *lessonPanel) save(i int) {
	if text := p.sessions[i].Progress().String(); text != p.saved[i] {
		p.saved[i] = text
		store("lesson/"+p.lessons[i].ID, text)
	}
}

// setCluster notices that the cluster is another one: what was noted of the old
// one means nothing any more.
func (p *lessonPanel) setCluster(id string) {
	if id == "" || id == p.settings.cluster {
		return
	}
	first := p.settings.cluster == ""
	p.settings.cluster = id
	if first {
		close(p.settings.known)
	}
	lost := false
	for i, s := range p.sessions {
		if s.SetCluster(id) {
			lost = lost || i == p.open
			s.Recheck()
			p.paintSteps(i)
		}
		if s.Passed() > 0 {
			p.save(i)
		}
	}
	if lost {
		p.say(model.Notice{
			Text:   "This is another cluster than before: what you noted of the old one is worth nothing here. Start the lesson over.",
			Action: "lesson-restart", Label: "Start over",
		})
	}
	p.paint()
	if first {
		go p.compareSettings()
	}
}

// say puts a notice into the bar; an empty one takes it away.
func (p *lessonPanel) say(n model.Notice) {
	if n.Text != "" && n.Text != p.notice.Text {
		p.app.Announce(strings.TrimSuffix(n.Text, "."))
	}
	p.notice = n
	p.paint()
}

// shownNotice is the notice in the bar: what was said last, or that a watch is
// missing.
func (p *lessonPanel) shownNotice() model.Notice {
	if p.notice.Text != "" {
		return p.notice
	}
	d, s := p.drawn[p.open], p.session()
	if d.shown >= len(p.lessons[p.open].Steps) || d.shown > s.Current() {
		return model.Notice{}
	}
	step, ended := s.Ended(d.shown)
	text := fmt.Sprintf("This step needs the watch of step %d, which is not open any more. Run it again.", step+1)
	if !ended || text == p.dismissed {
		return model.Notice{}
	}
	n := model.Notice{Text: text}
	if step != d.shown {
		n.Action, n.Label = "lesson-unfold", fmt.Sprintf("Show step %d", step+1)
	}
	return n
}
