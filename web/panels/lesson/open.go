//go:build js && wasm

// More than 400 lines: all ways into a lesson and out of it share one state.

package lesson

import (
	"strconv"
	"strings"
	"syscall/js"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// openFirst opens what the address names, or the lesson that was open last, and follows
// the address from then on: links work before the lab runs, too.
func (p *lessonPanel) openFirst() {
	to := p.index.Find(address())
	linked := to.Page != ""
	if !linked {
		to = course.Target{Page: "lesson", ID: stored("lesson"), Step: -1}
		if p.index.Lesson(to.ID) < 0 {
			to.ID = p.index.Lessons[0].ID
		}
	}
	if linked {
		p.app.Open("lesson")
	}
	p.goTo(to, false)
	js.Global().Call("addEventListener", "hashchange", js.FuncOf(func(_ js.Value, args []js.Value) any {
		was, now := place(app.Text(args[0].Get("oldURL"))), place(app.Text(args[0].Get("newURL")))
		if to := p.index.Find(address()); to.Page != "" && (was == "" || was != now) {
			p.goTo(to, true) // else only what is looked at has changed
		}
		return nil
	}))
}

// address returns the place that the page's address names, as a fragment.
func address() string { return place(js.Global().Get("location").Get("hash").String()) }

// place returns an address without what is looked at there (web/app/address.js).
func place(url string) string {
	url, _, _ = strings.Cut(url, "&")
	return url
}

// setAddress changes the place without going there.
func (p *lessonPanel) setAddress(hash string) { p.app.Page.Call("setPlace", hash) }

// follow opens where a link leads that the address names already. Any other link changes
// the address, and that opens it: not before, since the browser moves the focus with it.
func (p *lessonPanel) follow(el *dom.Element, _ dom.Event) {
	p.closeMenu()
	if href := el.GetAttribute("href"); href == address() {
		if to := p.index.Find(href); to.Page != "" {
			p.goTo(to, true)
		}
	}
}

// goTo opens what a fragment leads to. chosen tells that the learner has asked for it.
func (p *lessonPanel) goTo(to course.Target, chosen bool) {
	p.closeMenu()
	p.wanted++
	wanted := p.wanted
	switch to.Page {
	case "lesson":
		if d := p.docs[to.ID]; d != nil {
			p.enter(d, to.Step, chosen)
			return
		}
		go func() {
			d, err := p.load(to.ID)
			if wanted != p.wanted {
				return
			}
			if err != nil {
				p.app.Alert("The lesson could not be loaded: " + err.Error())
				p.column.SetAttribute("data-live", "")
				return
			}
			p.enter(d, to.Step, chosen)
		}()
	case "question":
		go p.openQuestion(to.ID, int(to.Seed), wanted)
	default:
		p.openPage(to, chosen)
	}
}

// enter shows a document, at a step, or where it was at -1.
func (p *lessonPanel) enter(d *document, step int, chosen bool) {
	if d == p.open {
		if step >= 0 {
			p.show(step, true)
		}
		if chosen {
			p.beginOpened(d)
		}
		return
	}
	p.leaveOpen()
	p.open, p.notice, p.asking, p.more = d, view.Notice{}, false, false
	d.drawn.article.SetAttribute("data-open", "")
	p.column.SetAttribute("data-live", "")
	if d.question == nil {
		store("lesson", d.id())
	}
	if step >= 0 {
		p.showStep(d, step)
	}
	if chosen {
		p.app.Open("lesson") // before anything is scrolled
	}
	p.paint()
	p.paintPlace()
	p.scrollOpened(d, step)
	p.check.Do()
	if !chosen {
		return
	}
	moveFocus(d.drawn.title)
	p.beginOpened(d)
}

// leaveOpen closes what is open.
func (p *lessonPanel) leaveOpen() {
	if p.open != nil {
		p.save(p.open)
		p.open.drawn.article.RemoveAttribute("data-open")
		p.open = nil
	}
	p.closePage()
}

// show brings a step of the open lesson into view, folds the one before it, and if asked
// to moves the focus there. The number of steps stands for the end.
func (p *lessonPanel) show(step int, focused bool) {
	d := p.open
	if d == nil {
		return
	}
	if at := p.focused(); focused && at != nil {
		at.Underlying().Call("blur") // it moves on, and does not keep the step before unfolded
	}
	p.showStep(d, step)
	p.scroll(d)
	p.paint()
	switch {
	case !focused:
	case step < len(d.drawn.steps):
		moveFocus(d.drawn.steps[step].summary)
	default:
		moveFocus(d.drawn.outro)
	}
	if step == len(d.drawn.steps) {
		go p.offerTidyUp()
	}
}

// showStep opens a step's text and folds the one that was shown.
func (p *lessonPanel) showStep(doc *document, step int) {
	d := doc.drawn
	if was := d.shown; was != step && was < len(d.steps) {
		d.steps[was].item.RemoveAttribute("data-shown")
		if !d.steps[was].item.Contains(p.focused()) && !p.teacher {
			d.steps[was].fold(false)
		}
	}
	d.shown = step
	if step < len(d.steps) {
		d.steps[step].item.SetAttribute("data-shown", "")
		d.steps[step].fold(true)
	}
	app.Toggle(d.outro, "hidden", step < len(d.steps) && !p.teacher)
}

// scrollOpened scrolls a lesson that was opened: to its beginning, or to the step that the
// learner has come to.
func (p *lessonPanel) scrollOpened(d *document, step int) {
	if step < 0 && d.drawn.shown == 0 {
		d.drawn.text.Underlying().Set("scrollTop", 0)
		return
	}
	p.scroll(d)
}

// scroll has the shown step begin at the top of the text, unless all of it can be seen from
// the lesson's beginning.
func (p *lessonPanel) scroll(doc *document) {
	d := doc.drawn
	at := d.outro
	if d.shown < len(d.steps) {
		at = d.steps[d.shown].item
	}
	v := d.text.Underlying()
	top := v.Call("getBoundingClientRect").Get("top").Float() - v.Get("scrollTop").Float()
	box := at.Underlying().Call("getBoundingClientRect")
	to := 0.0
	if box.Get("bottom").Float()-top > v.Get("clientHeight").Float() {
		to = box.Get("top").Float() - top - 4
	}
	v.Set("scrollTop", to)
}

// next continues from a step that is passed.
func (p *lessonPanel) next() {
	d := p.open
	if d == nil || d.drawn.shown >= len(d.drawn.steps) || !d.session.Step(d.drawn.shown).Passed {
		return
	}
	if d.question != nil {
		p.nextQuestion()
		return
	}
	p.setAddress(course.Link(d.id())) // one that names a step would lead back to it at the next visit
	p.notice, p.asking, p.more = view.Notice{}, false, false
	p.show(d.drawn.shown+1, true)
}

// unfolded makes a step that was opened by hand the shown one, as Next does, if Next can lead to it. What is looked up
// in other steps changes nothing.
func (p *lessonPanel) unfolded(el *dom.Element, _ dom.Event) {
	d, step := p.open, stepOf(el.Closest(".lesson-step"))
	if d == nil || p.teacher || !d.drawn.article.Contains(el) || !el.HasAttribute("open") ||
		step <= d.drawn.shown || step > d.session.Current() {
		return
	}
	p.notice, p.asking, p.more = view.Notice{}, false, false
	p.show(step, false)
}

// reveal opens the next hint, or the solution, of the shown step; or closes them all.
func (p *lessonPanel) reveal(el *dom.Element, _ dom.Event) {
	if p.open == nil || p.open.drawn.shown >= len(p.open.drawn.steps) {
		return
	}
	d := p.open.drawn
	kind := el.GetAttribute("data-kind")
	parts := d.steps[d.shown].parts(kind)
	at := countOpen(parts)
	if open := at < len(parts); !open {
		for _, part := range parts {
			part.Underlying().Set("open", false)
		}
	} else {
		last := at + 1
		if kind == "solution" {
			last = len(parts)
		}
		for _, part := range parts[at:last] {
			part.Underlying().Set("open", true)
		}
		p.more = false // so that there is space for what has been opened
		p.soon(func() {
			moveFocus(parts[at].QuerySelector("summary"))
			parts[at].Underlying().Call("scrollIntoView", map[string]any{"block": "nearest"})
		})
	}
	p.paint()
}

// again starts a step over: the lesson is set up again, and the steps before it are done
// again by their solutions, so that all is as the step expects.
func (p *lessonPanel) again(el *dom.Element, _ dom.Event) {
	d, step := p.docs[el.GetAttribute("data-lesson")], stepOf(el)
	if d == nil || d != p.open {
		return
	}
	for i := step; i < len(d.lesson.Steps); i++ {
		d.session.Reset(i)
		p.clear(d.drawn.steps[i].item)
	}
	p.afterReset(d)
	p.app.Announce("Step " + strconv.Itoa(step+1) + " starts over")
	p.show(step, true)
	go p.rebuild(d, step)
}

// ask asks whether to start over, or takes the question back. Where nothing is passed there
// is nothing to ask.
func (p *lessonPanel) ask(on bool) {
	if p.open == nil {
		return
	}
	if on && p.open.session.Passed() == 0 {
		p.restart()
		return
	}
	p.asking = on
	p.paint()
	id := "lesson-ask-"
	if on {
		id = "lesson-restart-"
	}
	p.focusSoon(id + p.open.id())
}

// restart starts the open lesson over.
func (p *lessonPanel) restart() {
	d := p.open
	if d == nil {
		return
	}
	d.session.ResetAll()
	p.clear(d.drawn.article)
	p.notice, p.asking = view.Notice{}, false
	p.afterReset(d)
	p.app.Announce("The lesson starts over")
	p.show(0, true)
	p.scrollOpened(d, -1)
	go p.begin(d, true)
}

func (p *lessonPanel) afterReset(d *document) {
	p.openAsked(d)
	d.session.Recheck()
	p.paintSteps(d)
	p.paintPredictions(d)
	p.save(d)
}

// menuEvent closes the course's list when it is left.
func (p *lessonPanel) menuEvent(el *dom.Element, ev dom.Event) {
	switch v := ev.Underlying(); v.Get("type").String() {
	case "focusout":
		if to := v.Get("relatedTarget"); !to.Truthy() || !el.Underlying().Call("contains", to).Bool() {
			el.Underlying().Set("open", false)
		}
	case "keydown":
		if v.Get("key").String() == "Escape" {
			el.Underlying().Set("open", false)
			moveFocus(el.QuerySelector("summary"))
		}
	}
}

func (p *lessonPanel) closeMenu() {
	p.column.QuerySelector(".lesson-menu").Underlying().Set("open", false)
}

// teach unfolds all steps with everything that they hide, for teachers; or folds them again.
func (p *lessonPanel) teach() {
	p.teacher = !p.teacher
	app.Toggle(p.column, "data-teacher", p.teacher)
	for _, d := range p.docs {
		p.unfold(d)
	}
	p.paint()
	p.paintPage()
}

// unfold shows a lesson's steps as teachers or as learners see them.
func (p *lessonPanel) unfold(d *document) {
	for i := range d.drawn.steps {
		st := &d.drawn.steps[i]
		st.fold(p.teacher || i == d.drawn.shown)
		for _, parts := range [][]*dom.Element{st.hints, st.solutions} {
			for _, part := range parts {
				part.Underlying().Set("open", p.teacher)
			}
		}
	}
	p.showStep(d, d.drawn.shown)
	p.paintPredictions(d)
}

// focused returns the element that has the focus.
func (p *lessonPanel) focused() *dom.Element {
	return dom.Wrap(p.app.Doc.Underlying().Get("activeElement"))
}

// focusNext moves the focus to what is next in the bar, when the button that had it goes
// away with the next frame.
func (p *lessonPanel) focusNext() {
	p.soon(func() {
		if p.open != nil {
			moveFocus(p.open.drawn.bar.QuerySelector(".lesson-next:is(a, button:enabled), .lesson-help button"))
		}
	})
}

// focusSoon moves the focus to an element that the next frame draws.
func (p *lessonPanel) focusSoon(id string) {
	p.soon(func() { moveFocus(p.app.Doc.GetElementByID(id)) })
}

// soon calls f after the next frame's renderings.
func (p *lessonPanel) soon(f func()) {
	var then js.Func
	then = js.FuncOf(func(js.Value, []js.Value) any {
		then.Release()
		f()
		return nil
	})
	p.app.Page.Call("soon", then)
}

// moveFocus moves the focus to an element, which may be nil, and scrolls nothing.
func moveFocus(el *dom.Element) {
	if el != nil {
		el.Underlying().Call("focus", map[string]any{"preventScroll": true})
	}
}

// press clicks an element, and reports whether there is one.
func press(el *dom.Element) bool {
	if el != nil {
		el.Underlying().Call("click")
	}
	return el != nil
}

// stepOf returns the index of the step that an element names.
func stepOf(el *dom.Element) int {
	n, _ := strconv.Atoi(el.GetAttribute("data-step"))
	return n
}

func trimDot(s string) string { return strings.TrimSuffix(s, ".") }
