//go:build !js

package scenes

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// lab returns the panel of a lab that knows two scenes, with the first at so many steps done.
func lab(t *testing.T, done int) *panel {
	t.Helper()
	a := app.New()
	a.Page.Marks["scene-cards data-scenes"] = "lag stale"
	p := start(a)
	for _, id := range p.order {
		all, err := filepath.Glob("../../scenes/*-" + id + ".md")
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %q, %v", id, all, err)
		}
		source, err := os.ReadFile(all[0])
		if err != nil {
			t.Fatal(err)
		}
		if p.known[id], err = format.ParseSceneAs(id, string(source)); err != nil {
			t.Fatal(err)
		}
	}
	p.now = p.begin(p.known["lag"], "tab")
	n := p.now
	n.there, n.heads = true, []int64{10}
	for i := range done {
		n.says, n.heads = append(n.says, p.known["lag"].Steps[i].Title), append(n.heads, int64(20+10*i))
	}
	n.shown = done
	p.publish()
	return p
}

// TestSteps wants Space and b to move among the steps that are done by the playhead.
func TestSteps(t *testing.T) {
	p := lab(t, 2)
	for _, c := range []struct {
		act   string
		shown int
		at    int64
		says  string
	}{
		{app.BackStep, 1, 20, p.now.says[0]}, {app.BackStep, 0, 10, p.now.scene.Line},
		{app.BackStep, 0, 10, p.now.scene.Line},
		{app.NextStep, 1, 20, p.now.says[0]}, {app.NextStep, 2, 0, p.now.says[1]},
	} {
		if c.act == app.NextStep {
			p.next()
		} else {
			p.do(app.PlayScene{Act: c.act})
		}
		if p.Scene.Shown != c.shown || p.At != c.at || p.Scene.Says != c.says {
			t.Errorf("%s: %d steps shown at %d, %q", c.act, p.Scene.Shown, p.At, p.Scene.Says)
		}
	}
}

// TestTravelled wants the scene to follow a playhead that somebody moves.
func TestTravelled(t *testing.T) {
	p := lab(t, 3)
	for at, shown := range map[int64]int{10: 0, 19: 0, 20: 1, 35: 2, 40: 3, 99: 3} {
		if p.Travel(at); p.Scene.Shown != shown || !p.Scene.Touched {
			t.Errorf("at %d: %d steps, not %d", at, p.Scene.Shown, shown)
		}
	}
}

// TestNext wants what Space does to be said.
func TestNext(t *testing.T) {
	p := lab(t, 1)
	write := tap.Event{Type: tap.Request, ID: 1, Method: "POST", URL: "/api/v1/namespaces", Origin: "console"}
	read := write
	read.Method = "GET"
	for _, c := range []struct {
		name string
		do   func(n *playing)
		want string
	}{
		{"a step", func(*playing) {}, "next: " + p.now.scene.Steps[1].Title},
		{"somebody reads", func(*playing) { p.observe(read) }, "next: " + p.now.scene.Steps[1].Title},
		{"somebody writes", func(*playing) { p.observe(write) }, "set up again"},
		{"it went wrong", func(n *playing) { n.disturbed, n.problem = false, "no" }, "set up again"},
		{"all are done", func(n *playing) {
			n.problem = ""
			n.says = make([]string, len(n.scene.Steps))
			n.shown = len(n.says)
		}, "next scene: " + p.known["stale"].Title},
	} {
		c.do(p.now)
		if p.publish(); p.Scene.Next != c.want {
			t.Errorf("%s: %q, not %q", c.name, p.Scene.Next, c.want)
		}
	}
	for id, next := range map[string]string{"lag": "stale", "stale": "lag", "none": "lag"} {
		if got := p.after(id); got != next {
			t.Errorf("after %s comes %s, not %s", id, got, next)
		}
	}
}

// TestLeave wants the requests to go where they went before.
func TestLeave(t *testing.T) {
	for back, want := range map[string]string{"tab": "tab", "room": "room", "scene": "tab"} {
		p := lab(t, 1)
		p.now.back = back
		n := p.now
		p.Page.Take()
		p.do(app.PlayScene{Act: app.LeaveScene})
		if calls := p.Page.Take(); !slices.Contains(calls, "setTarget "+want) || p.now != nil || p.Scene.ID != "" ||
			n.ctx.Err() != context.Canceled {
			t.Errorf("back to %s: %q, %+v", back, calls, p.Scene)
		}
	}
}

// TestFollows wants a link to play its scene, and one that leads nowhere to say so.
func TestFollows(t *testing.T) {
	p := lab(t, 0)
	p.Page.Holds["hash"] = "#scene=nothing"
	p.Page.Take()
	p.Page.Events["hashchange"](app.Press{})
	if calls := p.Page.Take(); !slices.Contains(calls, "open scenes") {
		t.Errorf("%q", calls)
	}
	p.Page.Holds["here"] = "http://127.0.0.1/"
	p.Page.Uses["scene"](app.Use{Attributes: map[string]string{"data-scene": "lag"}, Pressed: app.Press{Ctrl: true}})
	if calls := p.Page.Take(); !slices.Contains(calls, "copy http://127.0.0.1/#scene=lag") {
		t.Errorf("%q", calls)
	}
}

func TestArrows(t *testing.T) {
	for _, c := range []struct {
		key         string
		at, to, all int
	}{
		{"ArrowRight", 0, 1, 7}, {"ArrowLeft", 0, -1, 7}, {"ArrowDown", 1, 4, 7}, {"ArrowDown", 5, -1, 7},
		{"ArrowUp", 4, 1, 7}, {"Home", 5, 0, 7}, {"End", 0, 6, 7}, {"x", 0, -1, 7}, {"Home", -1, -1, 7}, {"End", 0, -1, 0},
	} {
		if to := toCard(c.key, c.at, 3, c.all); to != c.to {
			t.Errorf("%s from %d of %d: %d, not %d", c.key, c.at, c.all, to, c.to)
		}
	}
}
