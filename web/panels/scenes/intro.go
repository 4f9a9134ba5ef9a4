package scenes

import "github.com/tabernetes/tabernetes/web/app"

// introID is the scene that a first visit begins with.
const introID = "two-clients"

// greet plays the scene that a first visit begins with, once the tab's cluster answers: by itself, until a key or a
// click pauses it. Any request that is not the scene's ends it.
func (p *panel) greet() {
	if !p.Greets() {
		return
	}
	begun := false
	app.On(p.Bus, func(s app.State) {
		if s.Phase == "ready" && s.Target == "tab" && !begun {
			begun = true
			go p.playIntro()
		}
		if s.Target == "room" || s.Target == "devserver" {
			p.Page.Call("mark", "data-first", false) // what it says is of the tab's own cluster
		}
	})
	p.OnEvent("document", "click", func(app.Press) { p.pause() })
	p.OnEvent("document", "keydown", func(k app.Press) {
		if k.Key != "Enter" && k.Key != " " { // they press what has the focus, or take the next step
			p.pause()
		}
	})
	p.OnUse("door-play", func(u app.Use) {
		app.Emit(p.Bus, app.PlayScene{ID: u.Attr("data-scene"), Act: app.AutoPlay})
		// What comes next is the other door, whose bar takes the place of the button that was pressed.
		p.Click(`[name="door"][value="lesson"]`)
		p.Page.Call("focus", "st-ruler")
	})
}

// playIntro plays the intro; all of it at once where nothing is to move. If it cannot be played, the page is as at any
// other visit. It blocks.
func (p *panel) playIntro() {
	p.opening++
	opening := p.opening
	if !p.load() || opening != p.opening || p.now != nil {
		if p.now == nil {
			p.Page.Call("mark", "data-intro", false) // else what plays says it
		}
		return
	}
	n := p.begin(p.known[introID], p.State().Target)
	n.intro, p.now = true, n
	steps := 1
	if p.Still() {
		steps = len(n.scene.Steps)
	} else if !p.paused {
		n.auto = p.opening // its button offers to pause what is about to play
	}
	p.setUp(n, steps)
	switch {
	case p.now != n:
	case n.problem != "":
		p.leave()
	case n.auto != 0:
		p.goAlone(n, glance)
	}
}

// pause has the intro wait, unless the click was on what continues it.
func (p *panel) pause() {
	if n := p.now; n != nil && n.intro && !p.resumed {
		p.paused = true
		if n.auto != 0 {
			n.auto = 0
			p.publish()
		}
	}
	p.resumed = false
}
