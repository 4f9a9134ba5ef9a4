//go:build js && wasm

package scenes

import (
	"strings"
	"syscall/js"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/ui"
)

func init() { Start = start }

// panel is the menu, and what plays.
type panel struct {
	*app.App
	cards *dom.Element
	order []string
	known map[string]*format.Scene

	now     *playing
	opening int // counts what was asked for: what arrives later than that is not played
}

func start(a *app.App) {
	p := &panel{App: a, cards: a.Doc.GetElementByID("scene-cards"), known: map[string]*format.Scene{}}
	if p.cards == nil {
		return
	}
	p.order = strings.Fields(p.cards.GetAttribute("data-scenes"))
	a.Action("over", func(el *dom.Element, _ dom.Event) {
		if el.ID() == "panel-scenes" && !el.HasAttribute("hidden") {
			go p.load()
		}
	})
	a.Action("scene", func(el *dom.Element, ev dom.Event) {
		id := el.GetAttribute("data-scene")
		if v := ev.Underlying(); v.Get("ctrlKey").Truthy() || v.Get("metaKey").Truthy() {
			a.Copy(link(id), "a link to the scene")
			return
		}
		a.Page.Call("focus", "st-ruler")
		go p.play(id)
	})
	a.Action("scene-key", p.arrows)
	app.On(a.Bus, func(e app.PlayScene) { p.do(e) })
	app.On(a.Bus, p.observe)
	app.On(a.Bus, func(l app.LaneNamed) {
		if p.now != nil {
			p.now.lanes[l.Request] = l.Lane
		}
	})
	app.On(a.Bus, func(s app.State) {
		if p.now != nil && p.now.there && s.Target != "scene" {
			p.drop()
		}
	})
	app.On(a.Bus, func(s app.Selected) {
		if s.From != "scenes" {
			p.touch()
		}
	})
	app.On(a.Bus, func(app.LaneAct) { p.touch() })
	app.On(a.Bus, p.travelled)
	follow := func() {
		switch id, known, large := linked(js.Global().Get("location").Get("hash").String(), p.order); {
		case id == "":
		case !known:
			a.Open("scenes")
			p.say("This link names a scene that is not there: " + id + ". These are the scenes.")
		default:
			if large {
				a.Page.Call("present", true)
			}
			go p.play(id)
		}
	}
	js.Global().Call("addEventListener", "hashchange", js.FuncOf(func(js.Value, []js.Value) any {
		follow()
		return nil
	}))
	follow()
}

// link returns the address of a scene.
func link(id string) string {
	l := js.Global().Get("location")
	return l.Get("origin").String() + l.Get("pathname").String() + "#scene=" + id
}

// load fetches the cards with their sources, if they are not there. It blocks.
func (p *panel) load() bool {
	if len(p.known) > 0 {
		return true
	}
	text, err := app.Await(p.Page.Call("file", FileName))
	if err != nil {
		p.say("The scenes could not be loaded: " + err.Error())
		return false
	}
	if len(p.known) > 0 { // meanwhile
		return true
	}
	p.cards.Underlying().Call("insertAdjacentHTML", "beforeend", text.String())
	for _, el := range p.cards.QuerySelectorAll("[data-source]") {
		id := el.GetAttribute("data-source")
		s, err := format.ParseSceneAs(id, el.TextContent())
		if err != nil { // the build has parsed it
			js.Global().Get("console").Call("error", err.Error())
			continue
		}
		p.known[id] = s
	}
	return len(p.known) > 0
}

// say shows what went wrong in the menu, and announces it; empty: nothing did.
func (p *panel) say(text string) {
	p.RenderFunc(p.Doc.GetElementByID("scenes-result"), func() templ.Component {
		if text == "" {
			return templ.NopComponent
		}
		return ui.Empty(text)
	})
	if text != "" {
		p.Alert(text)
	}
}

// arrows moves the focus among the cards as they lie.
func (p *panel) arrows(_ *dom.Element, ev dom.Event) {
	v := ev.Underlying()
	all := p.cards.QuerySelectorAll(".scene-card")
	at := -1
	active := p.Doc.Underlying().Get("activeElement")
	columns := 0
	for i, el := range all {
		if el.Underlying().Equal(active) {
			at = i
		}
		if el.Underlying().Get("offsetTop").Equal(all[0].Underlying().Get("offsetTop")) {
			columns++
		}
	}
	to := map[string]int{"ArrowRight": at + 1, "ArrowLeft": at - 1, "ArrowDown": at + columns, "ArrowUp": at - columns,
		"Home": 0, "End": len(all) - 1}
	i, ok := to[v.Get("key").String()]
	if at < 0 || !ok || i < 0 || i >= len(all) {
		return
	}
	all[i].Underlying().Call("focus")
	v.Call("preventDefault")
}

// observe takes what the page's requests do. What somebody else changes disturbs the scene.
func (p *panel) observe(ev tap.Event) {
	n := p.now
	if n == nil || !n.there {
		return
	}
	n.session.Observe(ev, true)
	if s := ev.Source; s != nil {
		n.named = max(n.named, s.Head) // what it wrote is not newer
	}
	if ev.Type == tap.Request && !n.mine[ev.Origin] {
		n.disturbed = n.disturbed || ev.Method != "GET"
		p.touch()
	}
}

// touch notes that a person has done something.
func (p *panel) touch() {
	if p.now != nil {
		p.now.touched = true
		p.publish()
	}
}
