package present

import (
	"time"

	"github.com/tabernetes/tabernetes/web/app"
)

// tapped is how short a press of ? is that keeps the keys shown.
const tapped = 300 * time.Millisecond

// holdFor is how long a modifier is held until the keys are shown: it may belong to a shortcut.
const holdFor = 400 * time.Millisecond

// keyTray is whether the keys are shown.
type keyTray struct {
	shown, pinned bool
	since         time.Time // when ? was pressed; zero: it is not held
	run           int       // which press of a modifier it is
	modifier      bool      // they are shown while it is held
}

// held shows the keys while ? or a modifier is held.
func (p *panel) held(k app.Press) {
	if !p.Presents() || p.open {
		return
	}
	t := &p.keys
	switch key := k.Key; {
	case key == "?" && !k.Repeat:
		if t.pinned {
			*t = keyTray{}
		} else {
			t.shown, t.since = true, time.Now()
		}
		p.draw()
	case key == "Control" && !t.shown:
		t.run++
		run := t.run
		time.AfterFunc(holdFor, func() {
			if p.keys.run == run && p.Presents() {
				p.keys.shown, p.keys.modifier = true, true
				p.draw()
			}
		})
	default:
		t.run++
	}
}

// released hides them again; a short press of ? keeps them.
func (p *panel) released(k app.Press) {
	t := &p.keys
	key := k.Key
	t.run++
	switch {
	case t.modifier && key == "Control":
		*t = keyTray{run: t.run}
	case !t.since.IsZero() && (key == "?" || key == "Shift"):
		if time.Since(t.since) <= tapped {
			t.pinned, t.since = true, time.Time{}
		} else {
			*t = keyTray{run: t.run}
		}
	default:
		return
	}
	p.draw()
}

// leverKeys wires the keys of the presenter, and those of a scene.
func (p *panel) leverKeys() {
	for key, line := range map[string]string{"c": "compact", "x": "cut", "s": "restart", "a": "list again",
		"f": "freeze"} {
		p.presenterKey(key, func() { p.run(line) })
	}
	p.presenterKey("g", p.toggleLag)
	p.presenterKey("[", func() { p.chooseLane(-1) })
	p.presenterKey("]", func() { p.chooseLane(1) })
	for key, act := range map[string]string{" ": app.NextStep, "b": app.BackStep} {
		p.OnKey(key, func(app.Press) bool {
			if p.Scene.ID == "" {
				return false
			}
			app.Emit(p.Bus, app.PlayScene{Act: act})
			return true
		})
	}
}

// presenterKey has a key do something in the presenter.
func (p *panel) presenterKey(key string, f func()) {
	p.OnKey(key, func(app.Press) bool {
		if !p.Presents() {
			return false
		}
		f()
		return true
	})
}

// toggleLag has the server that is meant lag, or no longer.
func (p *panel) toggleLag() {
	cmd, line := Command{}, "lag 5"
	if err := aServer(&cmd, nil, p.context()); err != nil {
		return
	}
	if r := p.Seen.State.Replicas; cmd.Server < len(r) && r[cmd.Server].Lag > 0 {
		line = "lag 0"
	}
	p.run(line)
}

// chooseLane chooses the next lane.
func (p *panel) chooseLane(delta int) {
	n := len(p.lanes)
	if n == 0 {
		p.fail("There is no lane.")
		return
	}
	at := -1
	if delta < 0 {
		at = n
	}
	for i, l := range p.lanes {
		if l.Request == p.Selection.Request {
			at = i
		}
	}
	l := p.lanes[min(max(at+delta, 0), n-1)]
	p.answer = ""
	p.Select(app.Selection{Request: l.Request, Lane: l.ID}, "present")
}
