package search

import (
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/panels/search/index"
)

// announceAfter is how long nothing is typed before it is announced how much was found.
const announceAfter = 300 * time.Millisecond

type panel struct {
	*app.App
	view     View
	index    *index.Index
	field    app.Field
	announce app.Later
}

// Start runs the panel.
func Start(a *app.App) { start(a) }

func start(a *app.App) *panel {
	p := &panel{App: a, field: a.Field("search-field"), view: View{Active: -1}}
	p.announce = app.Later{Wait: announceAfter, Run: func() {
		if said := p.view.Count(); said != "" {
			a.Announce(said)
		}
	}}
	a.OnUse("left-search", func(app.Use) {
		if p.index == nil {
			go p.load()
		}
	})
	a.OnUse("search", func(u app.Use) {
		if u.Type() == "input" {
			p.search()
		} else {
			p.key(u)
		}
	})
	a.OnUse("search-open", func(u app.Use) {
		i, _ := strconv.Atoi(u.Attr("data-i"))
		p.open(i, u)
	})
	a.OnUse("search-all", func(u app.Use) {
		g, _ := strconv.Atoi(u.Attr("data-group"))
		p.view.All[index.Group(g)] = true
		p.field.Focus()
		p.draw()
	})
	a.OnUse("search-log", func(app.Use) {
		log := a.Field("history-search")
		log.Set(p.view.Query)
		p.Page.Call("closeLeft", "search")
		a.Open("history")
		log.Focus()
		a.Page.Call("typed", "history-search")
	})
	return p
}

// load fetches the index. It blocks.
func (p *panel) load() {
	text, err := p.Promise("file", index.File)
	if err == nil {
		p.index, err = index.Parse(text)
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

func (p *panel) key(u app.Use) {
	n := len(p.view.options())
	switch u.Press().Key {
	case "ArrowDown", "ArrowUp":
		u.PreventDefault()
		if n == 0 {
			return
		}
		step := 1
		if u.Press().Key == "ArrowUp" {
			step = n - 1
		}
		p.view.Active = (max(p.view.Active, 0) + step) % n
		p.draw()
		p.Page.Call("reveal", optionID(p.view.Active))
	case "Enter":
		u.PreventDefault()
		p.Click("#" + optionID(p.view.Active))
	}
}

// open goes where an option leads to.
func (p *panel) open(i int, u app.Use) {
	options := p.view.options()
	if i < 0 || i >= len(options) {
		return
	}
	e := options[i]
	if e.Href != "" { // a link of the page, which the lesson's panel follows
		if e.Href == p.Page.Call("hash").String() {
			u.PreventDefault()
			p.Page.Call("hashAgain")
		}
		return
	}
	u.PreventDefault()
	switch {
	case e.Rule != "":
		p.rule(e.Rule)
	case e.Press != "":
		p.Page.Call("closeLeft", "search")
		p.Click(e.Press)
		if e.At != "" {
			p.Field(e.At).Focus()
		}
	case e.Key != "":
		p.Page.Call("closeLeft", "search")
		p.Page.Call("press", e.Key)
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
		p.Click(`[data-action="rules-verb"][value="` + r.Verb + `"]`)
		cell := "rule-" + r.Verb + "-" + strconv.Itoa(n) + "-now"
		p.Page.Call("reveal", cell)
		p.Page.Call("focus", cell)
		return
	}
	p.Page.Call("visit", r.Reference)
}

func (p *panel) draw() {
	p.Draw("search-list", func() templ.Component { return List(p.view) })
	p.Draw("search-note", func() templ.Component { return Note(p.view) })
	p.Page.Call("text", "search-count", p.view.Count())
	active := ""
	if p.view.Active >= 0 {
		active = optionID(p.view.Active)
	}
	p.Describe("search-field", "aria-activedescendant", active)
}
