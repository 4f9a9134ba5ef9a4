//go:build js && wasm

package present

import (
	"strings"
	"syscall/js"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/scene"
)

func init() { Start = start }

// calm is how long after a scene's step the stage's news, which the step has caused, do not take its sentence's place.
const calm = 500 * time.Millisecond

// panel is the presenter's lower edge.
type panel struct {
	*app.App
	lanes  []app.LaneState
	scenes []string // the ids of the scenes

	said    app.Narrated // what the stage says
	acted   bool         // a command is newer than what is chosen
	answer  string       // to a command; it goes with the next news
	bad     bool         // it is an error
	scene   bool         // the scene's sentence is newer than the news
	stepped time.Time
	signs   [scene.MaxSteps + 1]string // of the sentences of a scene's steps

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
			if !p.stepping() {
				p.scene = false
			}
		}
		p.said = n
		p.draw()
	})
	app.On(a.Bus, func(app.Selected) { p.acted = false })
	app.On(a.Bus, func(l app.LanesChanged) { p.lanes = l.Lanes })
	app.On(a.Bus, func(s app.SceneAt) {
		p.scene, p.stepped, p.answer = s.Says != "", time.Now(), ""
		time.AfterFunc(calm, p.draw) // what is chosen meanwhile
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

// stepping reports whether a scene's step is under way, or has just ended: what it has caused comes later.
func (p *panel) stepping() bool { return p.Scene.Busy || time.Since(p.stepped) < calm }

// says returns the sentence, and its sign.
func (p *panel) says() (sign, text string) {
	switch s := p.Scene; {
	case p.answer != "" && p.bad:
		return "bad", p.answer
	case p.answer != "":
		return "", p.answer
	case s.Says != "" && (p.scene && (!p.chooses() || p.stepping()) || p.At > 0 && s.Shown < s.Step):
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
	p.RenderFunc(el("present-sign"), func() templ.Component { return Sign(sign) })
	p.RenderFunc(el("present-text"), func() templ.Component { return Sentence(text) })
	p.RenderFunc(el("present-foot"), func() templ.Component { return Foot(p.Scene) })
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
