//go:build !js

package scenes

import (
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// intro returns the panel of a lab in which the intro plays by itself, with one step done.
func intro(t *testing.T) *panel {
	t.Helper()
	p := lab(t, 1)
	p.Page.Holds["greets"] = "true"
	p.greet()
	p.now.intro = true
	p.now.auto = 1
	p.publish()
	return p
}

// TestPause wants keys and clicks to have the intro wait, but for those that press its button.
func TestPause(t *testing.T) {
	for _, c := range []struct {
		name   string
		do     func(p *panel)
		paused bool
	}{
		{"a key", func(p *panel) { p.Page.Events["keydown"](app.Press{Key: "a"}) }, true},
		{"Tab", func(p *panel) { p.Page.Events["keydown"](app.Press{Key: "Tab"}) }, true},
		{"Enter presses what has the focus", func(p *panel) { p.Page.Events["keydown"](app.Press{Key: "Enter"}) }, false},
		{"a click", func(p *panel) { p.Page.Events["click"](app.Press{}) }, true},
		{"a click on Pause", func(p *panel) {
			p.do(app.PlayScene{Act: app.AutoPlay})
			p.Page.Events["click"](app.Press{})
		}, true},
		{"a click on Play", func(p *panel) {
			p.now.auto, p.now.busy = 0, true
			p.do(app.PlayScene{Act: app.AutoPlay})
			p.Page.Events["click"](app.Press{})
		}, false},
		{"a request of its own", func(p *panel) {
			p.observe(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: "/api", Origin: "lesson"})
		}, false},
	} {
		p := intro(t)
		c.do(p)
		if p.Scene.Auto == c.paused || !p.Scene.Intro {
			t.Errorf("%s: %+v", c.name, p.Scene)
		}
	}
}

// TestOthersRequest wants the intro to end when anybody asks the API for something.
func TestOthersRequest(t *testing.T) {
	for _, origin := range []string{"console", "page", "terminal", "lever"} {
		p := intro(t)
		p.Page.Take()
		p.observe(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: "/api/v1/pods", Origin: origin})
		if calls := p.Page.Take(); p.now != nil || !slices.Contains(calls, "setTarget tab") || p.Scene.Intro {
			t.Errorf("%s: %q", origin, calls)
		}
	}
}

// TestElsewhere wants what a first visit begins with, which is about the tab's own cluster, to end in another one.
func TestElsewhere(t *testing.T) {
	for target, want := range map[string]bool{"tab": false, "scene": false, "room": true, "devserver": true} {
		p := intro(t)
		p.Page.Take()
		app.Emit(p.Bus, app.State{Phase: "loading", Target: target})
		if calls := p.Page.Take(); slices.Contains(calls, "mark data-first false") != want {
			t.Errorf("%s: %q", target, calls)
		}
	}
}

// TestDoors wants what the doors say to be so.
func TestDoors(t *testing.T) {
	gone := &format.Scene{Lesson: &format.Lesson{ID: "gone", Steps: make([]format.Step, 6)}}
	if s := behind([]*format.Scene{{Lesson: &format.Lesson{ID: "lag"}}, gone}); s != gone || seconds(s) != 30 {
		t.Errorf("%+v", s)
	}
	if behind(nil) != nil {
		t.Error("a scene that is not there")
	}
	if lower("A first")+upper("changes are")+lower("") != "a firstChanges are" {
		t.Error("letters")
	}
}
