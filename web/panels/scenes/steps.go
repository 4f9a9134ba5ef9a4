package scenes

import (
	"time"

	"github.com/tabernetes/tabernetes/web/app"
)

// next goes one step on: by the playhead, to what is done already, else by the next step's requests. When all are done,
// the next scene begins. It blocks.
func (p *panel) next() {
	n := p.now
	switch {
	case n.busy:
	case n.problem != "" || n.disturbed && n.shown == len(n.says):
		steps := max(1, len(n.says))
		n.stop()
		p.now = p.begin(n.scene, n.back)
		p.now.intro = n.intro
		p.setUp(p.now, steps)
	case n.shown < len(n.says):
		p.show(n.shown + 1)
	case len(n.says) < len(n.scene.Steps):
		p.step(n)
	default:
		p.play(p.after(n.scene.ID))
	}
}

// after returns the scene that comes after another one.
func (p *panel) after(id string) string {
	for i, other := range p.order {
		if other == id {
			return p.order[(i+1)%len(p.order)]
		}
	}
	return p.order[0]
}

// back shows the step before, as it was.
func (p *panel) back() {
	if n := p.now; !n.busy && n.shown > 0 {
		p.show(n.shown - 1)
	}
}

// show moves the playhead to where a step ended.
func (p *panel) show(step int) {
	n := p.now
	n.shown, n.moving = step, true
	at := n.heads[step]
	if step == len(n.says) {
		at = 0
	}
	p.Travel(at)
	n.moving, n.touched = false, false // what the stage has chosen to follow it is nobody's doing
	p.publish()
}

// travelled follows the playhead when somebody moves it.
func (p *panel) travelled(e app.Travel) {
	n := p.now
	if n == nil || n.moving || n.busy || len(n.heads) == 0 {
		return
	}
	n.shown, n.touched = len(n.says), true
	for e.At > 0 && n.shown > 0 && n.heads[n.shown] > e.At {
		n.shown--
	}
	p.publish()
}

// playAlone plays the rest of the scene step by step without further clicks; called again, it stops that.
func (p *panel) playAlone() {
	if n := p.now; n.auto != 0 {
		n.auto = 0
		p.publish()
	} else {
		p.goAlone(n, 0)
	}
}

// goAlone plays the rest of a scene by itself; the next step comes after a while.
func (p *panel) goAlone(n *playing, after time.Duration) {
	p.opening++
	n.auto = p.opening
	run, pace := n.auto, read
	if n.intro {
		pace = glance
	}
	var on func()
	on = func() {
		if p.now != n || n.auto != run {
			return
		}
		if n.shown == len(n.scene.Steps) || n.disturbed {
			n.auto = 0
			p.publish()
			return
		}
		go func() {
			p.next()
			time.AfterFunc(pace, on)
		}()
	}
	p.publish()
	if after > 0 {
		time.AfterFunc(after, on)
	} else {
		on()
	}
}

// leave ends the scene: requests go where they went before.
func (p *panel) leave() {
	back := p.now.back
	p.drop()
	if back == "scene" {
		back = "tab"
	}
	p.SetTarget(back)
}

// drop forgets the scene.
func (p *panel) drop() {
	n := p.now
	p.now = nil
	n.stop()
	p.opening++
	p.Travel(0)
	p.Page.Call("leaveHash", "#scene=")
	p.publish()
}

// publish says where the scene is.
func (p *panel) publish() {
	var at app.SceneAt
	if n := p.now; n != nil {
		at = app.SceneAt{ID: n.scene.ID, Title: n.scene.Title, Step: len(n.says), Shown: n.shown, Steps: len(n.scene.Steps),
			Busy: n.busy, Auto: n.auto != 0, Bad: n.problem != "", Says: n.problem, Touched: n.touched, Intro: n.intro}
		if at.Says == "" {
			at.Says = n.scene.Line
			if n.shown > 0 {
				at.Says = n.says[n.shown-1]
			}
		}
		switch {
		case n.problem != "" || n.disturbed && n.shown == len(n.says):
			at.Next = "set up again"
		case n.shown < len(n.scene.Steps):
			at.Next = "next: " + n.scene.Steps[n.shown].Title
		default:
			if s := p.known[p.after(n.scene.ID)]; s != nil {
				at.Next = "next scene: " + s.Title
			}
		}
	}
	if at != p.Scene {
		p.Scene = at
		app.Emit(p.Bus, at)
	}
}
