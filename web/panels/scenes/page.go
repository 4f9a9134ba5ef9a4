package scenes

import (
	"encoding/json"
	"strings"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/ui"
)

// panel is the menu, and what plays.
type panel struct {
	*app.App
	order []string
	known map[string]*format.Scene

	now     *playing
	opening int // counts what was asked for: what arrives later than that is not played
	// paused says that somebody has touched something since the intro began, resumed that it was what continues it.
	paused, resumed bool
}

// Start runs the panel.
func Start(a *app.App) {
	if a.Has("scene-cards") {
		start(a)
	}
}

func start(a *app.App) *panel {
	p := &panel{App: a, known: map[string]*format.Scene{}}
	p.order = strings.Fields(a.Attribute("scene-cards", "data-scenes"))
	a.OnUse("over", func(u app.Use) {
		if u.ID() == "panel-scenes" && !u.Hidden() {
			go p.load()
		}
	})
	a.OnUse("scene", func(u app.Use) {
		id := u.Attr("data-scene")
		if k := u.Press(); k.Ctrl || k.Meta {
			a.Copy(a.Page.Call("here").String()+"#scene="+id, "a link to the scene")
			return
		}
		a.Page.Call("focus", "st-ruler")
		go p.play(id)
	})
	a.OnUse("scene-key", p.arrows)
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
	p.greet()
	follow := func() {
		switch id, known, large := linked(a.Page.Call("hash").String(), p.order); {
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
	a.OnEvent("window", "hashchange", func(app.Press) { follow() })
	follow()
	return p
}

// load fetches the cards with their sources, if they are not there. It blocks.
func (p *panel) load() bool {
	if len(p.known) > 0 {
		return true
	}
	text, err := p.Promise("file", FileName)
	if err != nil {
		p.say("The scenes could not be loaded: " + err.Error())
		return false
	}
	if len(p.known) > 0 { // meanwhile
		return true
	}
	p.Page.Call("insert", "scene-cards", text)
	var sources []struct{ Name, Text string }
	all := p.Page.Call("texts", "scene-cards", "data-source").String()
	_ = json.Unmarshal([]byte(all), &sources) // on an error the page has no scenes
	for _, source := range sources {
		s, err := format.ParseSceneAs(source.Name, source.Text)
		if err != nil { // the build has parsed it
			p.Page.Call("info", err.Error())
			continue
		}
		p.known[source.Name] = s
	}
	return len(p.known) > 0
}

// say shows what went wrong in the menu, and announces it; empty: nothing did.
func (p *panel) say(text string) {
	p.Draw("scenes-result", func() templ.Component {
		if text == "" {
			return templ.NopComponent
		}
		return ui.Empty(text)
	})
	if text != "" {
		p.Alert(text)
	}
}

// cards selects the cards of the scenes.
const cards = "#scene-cards .scene-card"

// arrows moves the focus among the cards as they lie.
func (p *panel) arrows(u app.Use) {
	var lie [3]int                                                        // where the focus is, columns, and cards
	_ = json.Unmarshal([]byte(p.Page.Call("grid", cards).String()), &lie) // else nothing has the focus
	if to := toCard(u.Press().Key, lie[0], lie[1], lie[2]); to >= 0 {
		p.Page.Call("focusOne", cards, to)
		u.PreventDefault()
	}
}

// toCard returns the card that a key leads to from one of all, which lie in so many columns; -1: none.
func toCard(key string, at, columns, all int) int {
	to, ok := map[string]int{"ArrowRight": at + 1, "ArrowLeft": at - 1, "ArrowDown": at + columns, "ArrowUp": at - columns,
		"Home": 0, "End": all - 1}[key]
	if at < 0 || !ok || to < 0 || to >= all {
		return -1
	}
	return to
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
		if n.intro {
			p.leave() // it was for the tab's cluster, and is shown there
			return
		}
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
