package present

import (
	"strings"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// panel is the presenter's lower edge.
type panel struct {
	*app.App
	lanes  []app.LaneState
	scenes []string // the ids of the scenes

	said   app.Narrated                     // what the stage says
	acted  bool                             // a command is newer than what is chosen
	answer string                           // to a command; it goes with the next news
	bad    bool                             // it is an error
	scene  bool                             // the scene's sentence is newer than the news of what a person has done
	signs  [format.MaxSceneSteps + 1]string // of the sentences of a scene's steps

	open    bool // the line for commands
	options []Option
	picked  int // of the options, by the arrows; -1: none
	keys    keyTray

	input app.Field
}

// Start runs the panel.
func Start(a *app.App) {
	if a.Has("present-input") {
		start(a)
	}
}

func start(a *app.App) *panel {
	p := &panel{App: a, picked: -1, input: a.Field("present-input")}
	p.scenes = strings.Fields(a.Attribute("scene-cards", "data-scenes"))
	app.On(a.Bus, func(n app.Narrated) {
		if n.News != p.said.News {
			p.answer = ""
			p.scene = p.scene && !p.Scene.Touched // else it is the step that has caused them
		}
		p.said = n
		p.draw()
	})
	app.On(a.Bus, func(app.Selected) { p.acted = false })
	app.On(a.Bus, func(l app.LanesChanged) { p.lanes = l.Lanes })
	app.On(a.Bus, func(s app.SceneAt) {
		if !s.Touched {
			p.scene, p.answer = s.Says != "", ""
		}
		a.Page.Call("mark", "data-scene", s.ID != "" && !s.Intro)
		a.Page.Call("mark", "data-intro", s.Intro)
		p.draw()
	})
	a.OnEvent("document", "present", func(app.Press) {
		p.close()
		p.keys = keyTray{}
		p.draw()
	})
	a.OnEvent("document", "keydown", p.held)
	a.OnEvent("document", "keyup", p.released)
	a.OnUse("scene-do", func(u app.Use) {
		app.Emit(a.Bus, app.PlayScene{Act: u.Attr("data-do")})
		if u.Attr("data-do") == app.LeaveScene {
			p.Page.Call("focus", "st-ruler") // the button goes with the scene
		}
	})
	p.lineActions()
	p.leverKeys()
	p.draw()
	return p
}

// chooses reports whether something is chosen, and no command came after that.
func (p *panel) chooses() bool { return p.said.Chosen.Text != "" && !p.acted }

// says returns the sentence, and its sign.
func (p *panel) says() (sign, text string) {
	switch s := p.Scene; {
	case p.answer != "" && p.bad:
		return "bad", p.answer
	case p.answer != "":
		return "", p.answer
	case s.Says != "" && (p.scene && !(s.Touched && p.chooses()) || p.At > 0 && s.Shown < s.Step):
		if s.Bad {
			return "bad", s.Says
		}
		sign := &p.signs[s.Shown]
		if s.Shown == s.Step && !s.Busy {
			*sign = p.said.News.Sign
		}
		return *sign, s.Says
	case p.chooses():
		return p.said.Chosen.Sign, p.said.Chosen.Text
	case p.said.News.Text != "":
		return p.said.News.Sign, p.said.News.Text
	}
	return "", "Each write takes the next revision."
}

// draw brings all of it up to date.
func (p *panel) draw() {
	sign, text := p.says()
	at := p.Scene
	if intro := at; intro.Intro { // it has the line above the ruler
		p.Draw("st-intro", func() templ.Component { return Intro(sign, text, intro) })
		at = app.SceneAt{}
	}
	p.DrawTogether(
		app.Drawing{ID: "present-sign", Make: func() templ.Component { return Sign(sign) }},
		app.Drawing{ID: "present-text", Make: func() templ.Component { return Sentence(text) }},
		app.Drawing{ID: "present-foot", Make: func() templ.Component { return Foot(at) }})
	keys := p.keys.shown && p.Presents()
	offers := p.open && len(p.options) > 0
	p.Mark("present-tray", "hidden", !keys && !offers)
	p.Draw("present-tray", func() templ.Component {
		switch {
		case offers:
			return Options(p.options, p.picked)
		case keys:
			return Keys()
		}
		return templ.NopComponent
	})
	p.Mark("present-form", "hidden", !p.open)
	p.Mark("panel-present", "data-scene", at.ID != "")
}
