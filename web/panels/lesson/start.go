//go:build js && wasm

package lesson

import (
	"math/rand/v2"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
)

func init() { Start = start }

func start(a *app.App) {
	panel := a.Panel("lesson")
	if panel == nil || len(a.Course().Lessons) == 0 {
		return
	}
	a.Yield() // what the first lesson needs is most of the lab's start
	c := &pageColumn{app: a, el: panel.QuerySelector(".lessons")}
	p := &lessonPanel{lab: a, store: browserStore{}, column: c, bus: a.Bus, requests: a.Requests,
		index: a.Course(), now: time.Now, after: time.After, draw: rand.IntN}
	p.checkSoon = (&app.Later{Wait: recheckAfter, Run: p.recheck}).Do
	p.restore()
	first := c.drawn(c.el.QuerySelector(".lesson"))
	if err := p.adopt(first.id(), first); err != nil {
		js.Global().Get("console").Call("error", err.Error())
		return
	}
	a.Yield()
	p.actions(c)
	p.paintEntries()
	p.examChanged()
	a.Yield()
	p.openFirst()
	listen := func(event string, f func(ev js.Value)) {
		js.Global().Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
			f(args[0])
			return nil
		}))
	}
	listen("hashchange", func(ev js.Value) { p.moved(app.Text(ev.Get("oldURL")), app.Text(ev.Get("newURL"))) })
	p.welcome()
	p.listen()
	listen("pagehide", func(js.Value) { p.leave() })
}

// actions wires the buttons and keys.
func (p *lessonPanel) actions(c *pageColumn) {
	a := c.app
	for i := range acts {
		a.Action(acts[i].name, func(el *dom.Element, _ dom.Event) { acts[i].on(p, originOf(el)) })
	}
	a.Action("lesson-menu", menuEvent)
	a.Page.Set("levels", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return p.askLevels(args[0].String(), args[1].String())
	}))
	a.Action("lesson-typed", func(el *dom.Element, ev dom.Event) {
		if v := ev.Underlying(); v.Get("key").String() == "Enter" {
			v.Call("preventDefault")
			p.commit(originOf(el))
		}
	})
	a.Action("progress-pick", func(*dom.Element, dom.Event) { click(a.Doc.GetElementByID("progress-file")) })
	a.Action("progress-load", func(el *dom.Element, _ dom.Event) { go p.pick(el) })
	a.Action("exam-print", func(*dom.Element, dom.Event) { js.Global().Call("print") })
	a.Action("capstone-line", func(el *dom.Element, _ dom.Event) {
		a.Doc.GetElementByID("capstone-code").Underlying().Call("dispatchEvent",
			js.Global().Get("CustomEvent").New("line", map[string]any{"detail": app.Int(el, "data-line")}))
	})
	a.Key("r", func(js.Value) bool {
		const scene = "[data-first] .lessons:has([name=door][value=scene]:checked) [data-action=door-play]"
		return click(a.Doc.QuerySelector(scene)) || c.shown != nil && p.goneOn()
	})
	a.Key("n", func(js.Value) bool {
		return c.press(".lesson-bar .lesson-next:is(a, [data-action=lesson-next]:enabled)")
	})
	a.Key("s", func(js.Value) bool { return p.mayBeSure() && c.press(".lesson-sure input") })
}

// originOf returns where an element is.
func originOf(el *dom.Element) origin {
	around := func(selector, attribute string) string {
		if in := el.Closest(selector); in != nil {
			return in.GetAttribute(attribute)
		}
		return ""
	}
	v := el.Underlying()
	o := origin{lesson: around(".lesson", "data-lesson-id"), at: around(".lesson-http", "data-at"),
		step: numberOf(around("[data-step]", "data-step")), on: v.Get("checked").Truthy() || v.Get("open").Truthy()}
	for _, value := range []string{app.Text(v.Get("value")), el.GetAttribute("href"), el.GetAttribute("data-kind")} {
		if value != "" {
			o.value = value
			break
		}
	}
	return o
}

// pick loads the record that a learner has chosen as a file. It blocks.
func (p *lessonPanel) pick(input *dom.Element) {
	file := input.Underlying().Get("files").Index(0)
	if !file.Truthy() {
		return
	}
	text, err := app.Await(file.Call("text"))
	input.Underlying().Set("value", "")
	p.loadRecord(app.Text(text), err)
}

// menuEvent closes the course's list when it is left.
func menuEvent(el *dom.Element, ev dom.Event) {
	switch v := ev.Underlying(); v.Get("type").String() {
	case "focusout":
		if to := v.Get("relatedTarget"); !to.Truthy() || !el.Underlying().Call("contains", to).Bool() {
			unfold(el, false)
		}
	case "keydown":
		if v.Get("key").String() == "Escape" {
			unfold(el, false)
			moveFocus(el.QuerySelector("summary"))
		}
	}
}

// stepOf returns the index of the step that an element names.
func stepOf(el *dom.Element) int { return numberOf(el.GetAttribute("data-step")) }

func valueOf(el *dom.Element) string { return el.Underlying().Get("value").String() }
