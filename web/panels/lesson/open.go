//go:build js && wasm

package lesson

import (
	"strconv"
	"syscall/js"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
	model "github.com/tabernetes/tabernetes/web/lesson"
)

// openFirst opens the lesson that the address names, or the one that was open
// last, and follows the address from then on: links work before the lab runs,
// too.
func (p *lessonPanel) openFirst() {
	for i := range p.lessons {
		p.drawn[i].shown = 0
		p.showStep(i, p.sessions[i].Current())
	}
	i, step, linked := model.FindLink(p.lessons, address())
	if !linked {
		i, step = max(0, p.index(stored("lesson"))), -1
	}
	p.openLesson(i, step)
	if linked {
		p.app.Open("lesson")
	}
	p.app.Panel("lesson").QuerySelector(".lessons").SetAttribute("data-live", "")
	p.scrollOpened(i, step)
	js.Global().Call("addEventListener", "hashchange", js.FuncOf(func(js.Value, []js.Value) any {
		if i, step, ok := model.FindLink(p.lessons, address()); ok {
			p.choose(i, step)
		}
		return nil
	}))
}

// address is the fragment of the page's address.
func address() string { return js.Global().Get("location").Get("hash").String() }

// follow opens the lesson of a link whose lesson the address names already. Any
// other link changes the address, and that opens the lesson: not before, since
// the browser moves the focus with it.
func (p *lessonPanel) follow(el *dom.Element, _ dom.Event) {
	p.closeMenus()
	href := el.GetAttribute("href")
	if i, step, ok := model.FindLink(p.lessons, href); ok && href == address() {
		p.choose(i, step)
	}
}

// choose opens a lesson that the learner has chosen, and starts it.
func (p *lessonPanel) choose(i, step int) {
	p.closeMenus()
	if i == p.open {
		if step >= 0 {
			p.show(step, true)
		}
		return
	}
	p.save(p.open)
	p.openLesson(i, step)
	p.app.Open("lesson")
	p.scrollOpened(i, step)
	moveFocus(p.drawn[i].title)
	p.book()
	go p.begin(i, false)
}

// openLesson makes a lesson the open one, at a step, or where it was at -1.
func (p *lessonPanel) openLesson(i, step int) {
	p.drawn[p.open].article.RemoveAttribute("data-open")
	p.open, p.notice, p.asking, p.more = i, model.Notice{}, false, false
	p.drawn[i].article.SetAttribute("data-open", "")
	store("lesson", p.lessons[i].ID)
	if step >= 0 {
		p.showStep(i, step)
	}
	p.paint()
}

// show brings a step of the open lesson into view, folds the one before it, and
// if asked to moves the focus there. The number of steps stands for the end.
func (p *lessonPanel) show(step int, focused bool) {
	d := p.drawn[p.open]
	p.showStep(p.open, step)
	p.scroll(p.open)
	p.paint()
	switch {
	case !focused:
	case step < len(d.steps):
		moveFocus(d.steps[step].summary)
	default:
		moveFocus(d.outro)
	}
	if step == len(d.steps) {
		go p.offerToGiveBack()
	}
}

// showStep opens a step's text and folds the one that was shown.
func (p *lessonPanel) showStep(i, step int) {
	d := p.drawn[i]
	if was := d.shown; was != step && was < len(d.steps) {
		d.steps[was].item.RemoveAttribute("data-shown")
		if !d.steps[was].item.Contains(p.focused()) {
			d.steps[was].fold(false)
		}
	}
	d.shown = step
	if step < len(d.steps) {
		d.steps[step].item.SetAttribute("data-shown", "")
		d.steps[step].fold(true)
	}
	app.Toggle(d.outro, "hidden", step < len(d.steps))
}

// scrollOpened scrolls a lesson that was opened: to its beginning, or to the step
// that the learner has come to.
func (p *lessonPanel) scrollOpened(i, step int) {
	if d := p.drawn[i]; step < 0 && d.shown == 0 {
		d.text.Underlying().Set("scrollTop", 0)
		return
	}
	p.scroll(i)
}

// scroll has the shown step begin at the top of the text, unless all of it can
// be seen from the lesson's beginning.
func (p *lessonPanel) scroll(i int) {
	d := p.drawn[i]
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

// next goes on from a step that is passed.
func (p *lessonPanel) next() {
	d := p.drawn[p.open]
	if d.shown >= len(d.steps) || !p.session().Step(d.shown).Passed {
		return
	}
	// An address that names a step would lead back to it at the next visit.
	js.Global().Get("history").Call("replaceState", nil, "", p.lessons[p.open].Link())
	p.notice, p.asking, p.more = model.Notice{}, false, false
	p.show(d.shown+1, true)
}

// showEnded opens the step whose watch is missing, beside the one that is shown.
func (p *lessonPanel) showEnded() {
	d := p.drawn[p.open]
	if step, ok := p.session().Ended(d.shown); ok {
		st := d.steps[step]
		st.fold(true)
		st.item.Underlying().Call("scrollIntoView", map[string]any{"block": "start"})
		moveFocus(st.summary)
	}
}

// reveal opens or closes the hint or the solution of the shown step.
func (p *lessonPanel) reveal(el *dom.Element, _ dom.Event) {
	d := p.drawn[p.open]
	if d.shown >= len(d.steps) {
		return
	}
	parts := d.steps[d.shown].parts(el.GetAttribute("data-kind"))
	open := !isOpen(parts)
	for _, part := range parts {
		part.Underlying().Set("open", open)
	}
	p.more = p.more && !open // so that there is room for what has been opened
	p.paint()
	if open && len(parts) > 0 {
		p.soon(func() {
			moveFocus(parts[0].QuerySelector("summary"))
			parts[0].Underlying().Call("scrollIntoView", map[string]any{"block": "nearest"})
		})
	}
}

// again has a passed step done once more.
func (p *lessonPanel) again(el *dom.Element, _ dom.Event) {
	i, step := p.index(el.GetAttribute("data-lesson")), stepOf(el)
	if i != p.open {
		return
	}
	d := p.drawn[i]
	p.session().Reset(step)
	p.clear(d.steps[step].item)
	p.session().Recheck()
	p.paintSteps(i)
	p.save(i)
	p.app.Announce("Step " + strconv.Itoa(step+1) + " is to do again")
	p.show(step, true)
}

// ask asks whether to start over, or takes the question back. Where nothing is
// passed there is nothing to ask.
func (p *lessonPanel) ask(on bool) {
	if on && p.session().Passed() == 0 {
		p.restart()
		return
	}
	p.asking = on
	p.paint()
	id := "lesson-ask-"
	if on {
		id = "lesson-restart-"
	}
	p.focusSoon(id + p.lessons[p.open].ID)
}

// restart starts the open lesson over.
func (p *lessonPanel) restart() {
	p.session().ResetAll()
	p.session().Recheck()
	p.clear(p.drawn[p.open].article)
	p.notice, p.asking = model.Notice{}, false
	p.paintSteps(p.open)
	p.save(p.open)
	p.app.Announce("The lesson starts over")
	p.show(0, true)
	p.scrollOpened(p.open, -1)
	go p.begin(p.open, true)
}

// menuEvent closes a list of lessons that is left.
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

func (p *lessonPanel) closeMenus() {
	for _, d := range p.drawn {
		d.menu.Underlying().Set("open", false)
	}
}

// focused is the element that has the focus.
func (p *lessonPanel) focused() *dom.Element {
	return dom.Wrap(p.app.Doc.Underlying().Get("activeElement"))
}

// focusNext moves the focus to what is next in the bar, when the button that had
// it goes away with the next frame.
func (p *lessonPanel) focusNext() {
	p.soon(func() {
		moveFocus(p.drawn[p.open].bar.QuerySelector(".lesson-next:is(a, button:enabled), .lesson-help button"))
	})
}

// focusSoon moves the focus to an element that the next frame draws.
func (p *lessonPanel) focusSoon(id string) {
	p.soon(func() { moveFocus(p.app.Doc.GetElementByID(id)) })
}

// soon does something after the next frame's renderings.
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

// stepOf is the index of the step that an element names.
func stepOf(el *dom.Element) int {
	n, _ := strconv.Atoi(el.GetAttribute("data-step"))
	return n
}
