//go:build js && wasm

package lab

import (
	"fmt"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/lessons"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// recheckAfter is how long tap events gather before checks look at them.
const recheckAfter = 80 * time.Millisecond

// lessonPanel keeps the lessons' states on the page. Their text was rendered
// when the page was built: the panel only marks it and fills in results.
type lessonPanel struct {
	app      *app.App
	lessons  []*lesson.Lesson
	sessions []*lesson.Session
	open     int
	booked   bool
	// drawn are the lessons' steps as they are on the page.
	drawn [][]drawnStep
	// running are the requests under way, by the element that shows them.
	running map[string]*lessonRun
}

// drawnStep is a step's elements, and the state that they show.
type drawnStep struct {
	item, mark, said, miss *dom.Element
	rows, rowsSaid         []*dom.Element
	state                  lesson.StepState
}

func startLessons(a *app.App) {
	if a.Panel("lesson") == nil {
		return
	}
	all, err := lessons.All()
	if err != nil { // the build has played them all
		js.Global().Get("console").Call("error", err.Error())
		return
	}
	p := &lessonPanel{app: a, lessons: all, running: map[string]*lessonRun{}}
	for i, l := range all {
		p.sessions = append(p.sessions, lesson.NewSession(l, loadProgress(l.ID)))
		p.find(i)
		p.paint(i)
	}
	p.chooseLesson()
	for _, el := range a.Panel("lesson").QuerySelectorAll("button[disabled]") {
		el.RemoveAttribute("disabled")
	}
	app.On(a.Bus, p.observe)
	app.On(a.Bus, func(f revisions.Frame) {
		if f.State != nil {
			p.setCluster(f.State.Cluster)
		}
	})
	a.Action("lesson-run", p.run)
	a.Action("lesson-compose", p.compose)
	a.Action("lesson-copy", p.copy)
	a.Action("lesson-reset", func(el *dom.Element, _ dom.Event) {
		if i := p.index(el.GetAttribute("data-lesson")); i >= 0 {
			step, _ := strconv.Atoi(el.GetAttribute("data-index"))
			p.sessions[i].Reset(step)
			p.clear(el.Closest(".lesson-step"))
			p.changed(i)
			a.Announce("Step " + strconv.Itoa(step+1) + " reset")
		}
	})
	a.Action("lesson-restart", func(el *dom.Element, _ dom.Event) {
		if i := p.index(el.GetAttribute("data-lesson")); i >= 0 {
			p.sessions[i].ResetAll()
			p.clear(p.article(i))
			p.changed(i)
			p.fold(i, 0, true)
			if s := p.article(i).QuerySelector("summary"); s != nil {
				s.Focus()
			}
			a.Announce("The lesson starts over")
		}
	})
}

func (p *lessonPanel) index(id string) int {
	for i, l := range p.lessons {
		if l.ID == id {
			return i
		}
	}
	return -1
}

func (p *lessonPanel) article(i int) *dom.Element {
	return p.app.Doc.GetElementByID("lesson-" + p.lessons[i].ID)
}

func (p *lessonPanel) step(lesson, step int) *dom.Element {
	return p.app.Doc.GetElementByID("lesson-" + p.lessons[lesson].ID + "-" + strconv.Itoa(step+1))
}

// chooseLesson keeps track of which lesson is open. The address says it, so
// that links work before the lab runs; the last one open is remembered.
func (p *lessonPanel) chooseLesson() {
	location := js.Global().Get("location")
	current := func() (int, bool) {
		i := p.index(strings.TrimPrefix(location.Get("hash").String(), "#lesson-"))
		return max(i, 0), i >= 0
	}
	mark := func() {
		p.open, _ = current()
		for _, a := range p.app.Panel("lesson").QuerySelectorAll(".lesson-list a") {
			a.SetAttribute("aria-current", strconv.FormatBool(a.GetAttribute("data-lesson") == p.lessons[p.open].ID))
		}
		store("lesson", p.lessons[p.open].ID)
	}
	if _, named := current(); named {
		p.app.Open("lesson")
	} else if i := p.index(stored("lesson")); i > 0 {
		location.Call("replace", "#lesson-"+p.lessons[i].ID)
	}
	mark()
	js.Global().Call("addEventListener", "hashchange", js.FuncOf(func(js.Value, []js.Value) any {
		if _, named := current(); named {
			mark()
			p.app.Open("lesson")
			p.book()
		}
		return nil
	}))
	// A lesson opens at its first step that is to do.
	for i := range p.lessons {
		for step := range p.lessons[i].Steps {
			if !p.sessions[i].Step(step).Passed {
				p.fold(i, 0, step == 0)
				p.fold(i, step, true)
				break
			}
		}
	}
}

// observe takes a tap event. Its checks run a moment later, once for all events
// that come until then.
func (p *lessonPanel) observe(ev tap.Event) {
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
		for i := range p.sessions {
			p.recheck(i)
		}
	})
}

func (p *lessonPanel) recheck(i int) {
	passed := p.sessions[i].Recheck()
	if len(passed) == 0 {
		if i == p.open {
			p.paint(i)
		}
		return
	}
	l := p.lessons[i]
	p.changed(i)
	for _, step := range passed {
		p.app.Announce(fmt.Sprintf("Passed step %d of %d, %s", step+1, len(l.Steps), l.Steps[step].Title))
	}
	if next := passed[len(passed)-1] + 1; next < len(l.Steps) {
		p.fold(i, next, true)
	} else if p.sessions[i].Passed() == len(l.Steps) {
		p.app.Announce("The lesson " + l.Title + " is done")
	}
}

// changed keeps the progress and shows it.
func (p *lessonPanel) changed(i int) {
	p.save(i)
	p.paint(i)
}

func (p *lessonPanel) save(i int) {
	store("lesson/"+p.lessons[i].ID, p.sessions[i].Progress().String())
}

// setCluster notices that the cluster is another one: what was noted of the old
// one means nothing any more.
func (p *lessonPanel) setCluster(id string) {
	lost := false
	for i, s := range p.sessions {
		if s.SetCluster(id) {
			lost = true
		}
		if lost || s.Passed() > 0 {
			p.save(i)
		}
	}
	if lost {
		p.notice("This is another cluster than before, so the versions that you noted are worth nothing here. Run the earlier requests of a step again, or start the lesson over.")
	}
}

// notice shows a text above the lesson; an empty one takes it away.
func (p *lessonPanel) notice(text string) {
	if el := p.app.Doc.GetElementByID("lesson-notice"); el != nil {
		setText(el, text)
		setHidden(el, text == "")
	}
}

// find looks a lesson's elements up, once.
func (p *lessonPanel) find(i int) {
	steps := make([]drawnStep, len(p.lessons[i].Steps))
	for n := range steps {
		item := p.step(i, n)
		if item == nil {
			continue
		}
		rows := item.QuerySelectorAll(".lesson-check li")
		d := drawnStep{item: item, mark: item.QuerySelector(".lesson-mark"), said: item.QuerySelector(".lesson-said"),
			miss: item.QuerySelector(".lesson-miss"), rows: rows, state: p.sessions[i].Step(n)}
		for _, li := range rows {
			d.rowsSaid = append(d.rowsSaid, li.QuerySelector(".lesson-row-said"))
		}
		// The page was built with nothing done.
		d.state = lesson.StepState{Rows: make([]lesson.RowState, len(d.state.Rows))}
		steps[n] = d
	}
	p.drawn = append(p.drawn, steps)
}

// paint shows the state of a lesson's steps. It writes only what is not on the
// page yet, and reads nothing from it.
func (p *lessonPanel) paint(i int) {
	changed := false
	for n := range p.drawn[i] {
		d := &p.drawn[i][n]
		if d.item == nil {
			continue
		}
		st := p.sessions[i].Step(n)
		if st.Passed != d.state.Passed {
			changed = true
			state, mark, said := "todo", strconv.Itoa(n+1), ""
			if st.Passed {
				state, mark, said = "passed", "✓", ", passed"
			}
			d.item.SetAttribute("data-state", state)
			d.mark.SetTextContent(mark)
			d.said.SetTextContent(said)
		}
		for j := range min(len(st.Rows), len(d.rows)) {
			done := st.Rows[j].Done
			if done == d.state.Rows[j].Done {
				continue
			}
			d.rows[j].SetAttribute("data-done", strconv.FormatBool(done))
			said := ""
			if done {
				said = ", done"
			}
			d.rowsSaid[j].SetTextContent(said)
		}
		if st.Miss != d.state.Miss {
			d.miss.SetTextContent(st.Miss)
			setHidden(d.miss, st.Miss == "")
		}
		d.state = st
	}
	if changed {
		p.paintCount(i)
	}
}

// paintCount shows in the list of lessons how far a lesson is.
func (p *lessonPanel) paintCount(i int) {
	l := p.lessons[i]
	text := fmt.Sprintf("%d steps", len(l.Steps))
	if n := p.sessions[i].Passed(); n == len(l.Steps) {
		text = "✓ done"
	} else if n > 0 {
		text = fmt.Sprintf("%d of %d", n, len(l.Steps))
	}
	setText(p.app.Doc.QuerySelector(`[data-lesson-count="`+l.ID+`"]`), text)
}

// fold opens or closes a step.
func (p *lessonPanel) fold(lesson, step int, open bool) {
	if el := p.step(lesson, step); el != nil {
		if d := el.QuerySelector(".lesson-fold"); d != nil {
			d.Underlying().Set("open", open)
		}
	}
}

// setText and its like touch the document only where something changes.
func setText(el *dom.Element, text string) {
	if el != nil && el.TextContent() != text {
		el.SetTextContent(text)
	}
}

func setAttribute(el *dom.Element, name, value string) {
	if el != nil && el.GetAttribute(name) != value {
		el.SetAttribute(name, value)
	}
}

func setHidden(el *dom.Element, hidden bool) {
	if el != nil && el.HasAttribute("hidden") != hidden {
		el.Underlying().Set("hidden", hidden)
	}
}
