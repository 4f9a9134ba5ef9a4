//go:build js && wasm

package search

import (
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/panels/search/index"
)

func init() { Start = start }

// announceAfter is how long nothing is typed before it is announced how much was found.
const announceAfter = 300 * time.Millisecond

type panel struct {
	*app.App
	view     View
	index    *index.Index
	field    app.Field
	announce app.Later
}

func start(a *app.App) {
	p := &panel{App: a, field: a.Field("search-field"), view: View{Active: -1}}
	p.announce = app.Later{Wait: announceAfter, Run: func() {
		if said := p.view.Count(); said != "" {
			a.Announce(said)
		}
	}}
	a.Action("left-search", func(*dom.Element, dom.Event) {
		if p.index == nil {
			go p.load()
		}
	})
	a.Action("search", func(_ *dom.Element, ev dom.Event) {
		if ev.Type() == "input" {
			p.search()
		} else {
			p.key(ev)
		}
	})
	a.Action("search-open", func(el *dom.Element, ev dom.Event) {
		i, _ := strconv.Atoi(el.GetAttribute("data-i"))
		p.open(i, ev)
	})
	a.Action("search-all", func(el *dom.Element, _ dom.Event) {
		g, _ := strconv.Atoi(el.GetAttribute("data-group"))
		p.view.All[index.Group(g)] = true
		p.field.Focus()
		p.draw()
	})
	a.Action("search-log", func(*dom.Element, dom.Event) {
		log := a.Field("history-search")
		log.Set(p.view.Query)
		p.Page.Call("closeLeft", "search")
		a.Open("history")
		log.Focus()
		log.El.Underlying().Call("dispatchEvent", js.Global().Get("Event").New("input", map[string]any{"bubbles": true}))
	})
}

// load fetches the index. It blocks.
func (p *panel) load() {
	text, err := app.Await(p.Page.Call("file", index.File))
	if err == nil {
		p.index, err = index.Parse(text.String())
	}
	p.view.Problem = ""
	if err != nil {
		p.view.Problem = "The search index could not be loaded: " + err.Error()
	}
	p.search()
}

// search looks for what is typed.
func (p *panel) search() {
	v := View{Query: strings.TrimSpace(p.field.Value()), All: map[index.Group]bool{}, Active: -1, Problem: p.view.Problem}
	if p.index != nil {
		v.Result = p.index.Find(v.Query)
		if len(v.options()) > 0 {
			v.Active = 0
		}
	}
	p.view = v
	p.announce.Do()
	p.draw()
}

func (p *panel) key(ev dom.Event) {
	n := len(p.view.options())
	switch app.Text(ev.Get("key")) {
	case "ArrowDown", "ArrowUp":
		ev.PreventDefault()
		if n == 0 {
			return
		}
		step := 1
		if app.Text(ev.Get("key")) == "ArrowUp" {
			step = n - 1
		}
		p.view.Active = (max(p.view.Active, 0) + step) % n
		p.draw()
		p.Page.Call("reveal", optionID(p.view.Active))
	case "Enter":
		ev.PreventDefault()
		if el := p.Doc.GetElementByID(optionID(p.view.Active)); el != nil {
			el.Underlying().Call("click")
		}
	}
}

// open goes where an option leads to.
func (p *panel) open(i int, ev dom.Event) {
	options := p.view.options()
	if i < 0 || i >= len(options) {
		return
	}
	e := options[i]
	if e.Href != "" { // a link of the page, which the lesson's panel follows
		if e.Href == app.Text(js.Global().Get("location").Get("hash")) {
			ev.PreventDefault()
			js.Global().Call("dispatchEvent", js.Global().Get("HashChangeEvent").New("hashchange"))
		}
		return
	}
	ev.PreventDefault()
	switch {
	case e.Rule != "":
		p.rule(e.Rule)
	case e.Press != "":
		p.Page.Call("closeLeft", "search")
		if el := p.Doc.QuerySelector(e.Press); el != nil {
			el.Underlying().Call("click")
		}
	case e.Key != "":
		p.Page.Call("closeLeft", "search")
		body := p.Doc.Underlying().Get("body")
		body.Call("dispatchEvent", js.Global().Get("KeyboardEvent").New("keydown",
			map[string]any{"key": e.Key, "bubbles": true, "cancelable": true}))
	}
}

// rule shows the rows of a rule in its panel; a rule that has none is shown in the documentation.
func (p *panel) rule(id string) {
	r, _ := semantics.RuleOf(id)
	rows := semantics.Rows(r.Verb)
	for n := range rows {
		if rows[n].ID != id {
			continue
		}
		p.Page.Call("closeLeft", "search")
		p.Open("rules")
		verb := p.Doc.QuerySelector(`[data-action="rules-verb"][value="` + r.Verb + `"]`)
		if verb != nil {
			verb.Underlying().Call("click")
		}
		cell := "rule-" + r.Verb + "-" + strconv.Itoa(n) + "-now"
		p.Page.Call("reveal", cell)
		p.Page.Call("focus", cell)
		return
	}
	js.Global().Call("open", r.Reference, "_blank", "noopener")
}

func (p *panel) draw() {
	p.RenderFunc(p.Doc.GetElementByID("search-list"), func() templ.Component { return List(p.view) })
	p.RenderFunc(p.Doc.GetElementByID("search-note"), func() templ.Component { return Note(p.view) })
	p.Page.Call("text", "search-count", p.view.Count())
	if p.view.Active >= 0 {
		p.field.El.SetAttribute("aria-activedescendant", optionID(p.view.Active))
	} else {
		p.field.El.RemoveAttribute("aria-activedescendant")
	}
}
