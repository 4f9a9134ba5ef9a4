//go:build js && wasm

package present

import (
	"strings"
	"syscall/js"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/lesson/format"
)

func init() { Start = start }

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

	input *dom.Element
}

func start(a *app.App) {
	p := &panel{App: a, picked: -1, input: a.Doc.GetElementByID("present-input")}
	if p.input == nil {
		return
	}
	if el := a.Doc.GetElementByID("scene-cards"); el != nil {
		p.scenes = strings.Fields(el.GetAttribute("data-scenes"))
	}
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
		app.Toggle(dom.Wrap(a.Doc.Underlying().Get("documentElement")), "data-scene", s.ID != "")
		p.draw()
	})
	on := func(name string, f func(ev js.Value)) {
		a.Doc.Underlying().Call("addEventListener", name, js.FuncOf(func(_ js.Value, args []js.Value) any {
			f(args[0])
			return nil
		}))
	}
	on("present", func(js.Value) {
		p.close()
		p.keys = keyTray{}
		p.draw()
	})
	on("keydown", p.held)
	on("keyup", p.released)
	a.Action("scene-do", func(el *dom.Element, _ dom.Event) {
		app.Emit(a.Bus, app.PlayScene{Act: el.GetAttribute("data-do")})
	})
	p.lineActions()
	p.leverKeys()
	p.draw()
}

// presents reports whether the page is the presenter's.
func (p *panel) presents() bool {
	return p.Doc.Underlying().Get("documentElement").Call("hasAttribute", "data-presenting").Bool()
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
	el := func(id string) *dom.Element { return p.Doc.GetElementByID(id) }
	sign, text := p.says()
	at := p.Scene
	p.RenderTogether(
		app.Part{El: el("present-sign"), Make: func() templ.Component { return Sign(sign) }},
		app.Part{El: el("present-text"), Make: func() templ.Component { return Sentence(text) }},
		app.Part{El: el("present-foot"), Make: func() templ.Component { return Foot(at) }})
	keys := p.keys.shown && p.presents()
	offers := p.open && len(p.options) > 0
	tray := el("present-tray")
	app.Toggle(tray, "hidden", !keys && !offers)
	p.RenderFunc(tray, func() templ.Component {
		switch {
		case offers:
			return Options(p.options, p.picked)
		case keys:
			return Keys()
		}
		return templ.NopComponent
	})
	app.Toggle(el("present-form"), "hidden", !p.open)
	app.Toggle(p.Panel("present"), "data-scene", p.Scene.ID != "")
}
