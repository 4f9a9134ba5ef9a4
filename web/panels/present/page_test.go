//go:build !js

package present

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// lab returns the presenter's edge in a page that presents, with two lanes.
func lab(t *testing.T) *panel {
	t.Helper()
	a := app.New()
	a.Page.Holds["presents"] = "true"
	p := start(a)
	a.Catalog = there(t).Catalog
	a.Seen.State = revisions.State{Caches: []int64{1, 1}, Replicas: make([]revisions.Replica, 2)}
	app.Emit(a.Bus, app.LanesChanged{Lanes: []app.LaneState{{ID: "w1", Request: 5}, {ID: "w2", Request: 8}}})
	return p
}

// TestSays wants the sentence of what matters most at present.
func TestSays(t *testing.T) {
	news, chosen := app.Sentence{Sign: "write", Text: "news"}, app.Sentence{Sign: "read", Text: "chosen"}
	for _, c := range []struct {
		name       string
		do         func(p *panel)
		sign, text string
	}{
		{"at first", func(*panel) {}, "", "Each write takes the next revision."},
		{"news", func(p *panel) { app.Emit(p.Bus, app.Narrated{News: news}) }, "write", "news"},
		{"what is chosen", func(p *panel) { app.Emit(p.Bus, app.Narrated{News: news, Chosen: chosen}) }, "read", "chosen"},
		{"a command after it", func(p *panel) {
			app.Emit(p.Bus, app.Narrated{News: news, Chosen: chosen})
			p.run("live")
		}, "write", "news"},
		{"what is wrong with a command", func(p *panel) { p.run("cut w9") }, "bad", "No lane w9. There are w1, w2."},
		{"news after an answer", func(p *panel) {
			p.fail("wrong")
			app.Emit(p.Bus, app.Narrated{News: news})
		}, "write", "news"},
		{"a scene", func(p *panel) {
			app.Emit(p.Bus, app.Narrated{News: news, Chosen: chosen})
			p.Scene = app.SceneAt{ID: "lag", Says: "step", Steps: 3, Step: 1, Shown: 1}
			app.Emit(p.Bus, p.Scene)
		}, "write", "step"},
		{"a scene that went wrong", func(p *panel) {
			p.Scene = app.SceneAt{ID: "lag", Says: "no", Bad: true}
			app.Emit(p.Bus, p.Scene)
		}, "bad", "no"},
	} {
		p := lab(t)
		c.do(p)
		if sign, text := p.says(); text != c.text || sign != c.sign {
			t.Errorf("%s: %q %q, not %q %q", c.name, sign, text, c.sign, c.text)
		}
	}
}

// TestKeys wants keys to pull levers in the presenter, and only there.
func TestKeys(t *testing.T) {
	for _, c := range []struct{ key, want string }{
		{"c", "compact {} Compacted: older revisions are gone."}, {"x", "disconnect {} All open watches were cut."},
		{"s", `restart {"server":1} The API server was restarted.`},
	} {
		p := lab(t)
		var got []string
		app.On(p.Bus, func(e app.RunAct) {
			got = append(got, fmt.Sprint(e.Act.Name, " ", e.Act.Body(e.Parameters), " ", e.Act.SaysDone(e.Value)))
		})
		p.Page.Press(app.Press{Key: c.key})
		p.Page.Holds["presents"] = ""
		if used := p.Page.Press(app.Press{Key: c.key}); used || len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %q, not %s; used elsewhere: %v", c.key, got, c.want, used)
		}
	}
	p := lab(t)
	for _, c := range []struct {
		key     string
		request int
	}{{"]", 5}, {"]", 8}, {"]", 8}, {"[", 5}, {"[", 5}} {
		if p.Page.Press(app.Press{Key: c.key}); p.Selection.Request != c.request {
			t.Errorf("after %s: %+v", c.key, p.Selection)
		}
	}
	var act []string
	app.On(p.Bus, func(e app.PlayScene) { act = append(act, e.Act) })
	p.Page.Press(app.Press{Key: " "})
	p.Scene.ID = "lag"
	p.Page.Press(app.Press{Key: " "})
	p.Page.Press(app.Press{Key: "b"})
	if !slices.Equal(act, []string{app.NextStep, app.BackStep}) {
		t.Errorf("the scene is to do %q", act)
	}
}

// TestToggleLag wants g to have the server lag, and the next time no longer.
func TestToggleLag(t *testing.T) {
	p := lab(t)
	var got []string
	app.On(p.Bus, func(e app.ChangeSetting) { got = append(got, e.Label) })
	p.Page.Press(app.Press{Key: "g"})
	cmd := Command{}
	if err := aServer(&cmd, nil, p.context()); err != nil {
		t.Fatal(err)
	}
	p.Seen.State.Replicas[cmd.Server].Lag = 5
	p.Page.Press(app.Press{Key: "g"})
	if len(got) != 2 || got[0] == got[1] {
		t.Errorf("%q", got)
	}
}

// TestLine wants the line for commands to open, to be completed by keys, and to close.
func TestLine(t *testing.T) {
	p := lab(t)
	if !p.Page.Press(app.Press{Key: "/"}) || !p.open {
		t.Fatal("the line does not open")
	}
	p.Page.Holds["present-input"] = "c"
	p.Page.Uses["present-type"](app.Use{Event: "input"})
	n := len(p.options)
	if n < 2 {
		t.Fatalf("%d options", n)
	}
	for _, c := range []struct {
		key    string
		picked int
	}{{"ArrowDown", 0}, {"ArrowDown", 1}, {"ArrowUp", 0}, {"ArrowUp", n - 1}, {"ArrowDown", 0}} {
		p.Page.Uses["present-type"](app.Use{Event: "keydown", Pressed: app.Press{Key: c.key}})
		if p.picked != c.picked {
			t.Errorf("after %s: %d, not %d", c.key, p.picked, c.picked)
		}
	}
	if want := p.options[0].Line; !p.lineKey("Tab") || p.line() != want {
		t.Errorf("Tab makes %q, not %q", p.line(), want)
	}
	if p.lineKey("x") || !p.lineKey("Escape") || p.open {
		t.Error("Escape does not close the line")
	}
	p.Closed = "an exam"
	if p.Page.Press(app.Press{Key: "/"}) {
		t.Error("the line opens while requests are refused")
	}
}

// TestTray wants the keys to be shown while ? or Ctrl is held, and to stay after a short press of ?.
func TestTray(t *testing.T) {
	for _, c := range []struct {
		name  string
		do    func(p *panel)
		shown bool
	}{
		{"held", func(p *panel) { p.held(app.Press{Key: "?"}) }, true},
		{"a short press", func(p *panel) {
			p.held(app.Press{Key: "?"})
			p.released(app.Press{Key: "?"})
		}, true},
		{"two short presses", func(p *panel) {
			for range 2 {
				p.held(app.Press{Key: "?"})
				p.released(app.Press{Key: "?"})
			}
		}, false},
		{"a long press", func(p *panel) {
			p.held(app.Press{Key: "?"})
			time.Sleep(2 * tapped)
			p.released(app.Press{Key: "?"})
		}, false},
		{"Ctrl held", func(p *panel) {
			p.held(app.Press{Key: "Control"})
			time.Sleep(2 * holdFor)
		}, true},
		{"a shortcut", func(p *panel) {
			p.held(app.Press{Key: "Control"})
			p.held(app.Press{Key: "c", Ctrl: true})
			time.Sleep(2 * holdFor)
		}, false},
		{"Ctrl released", func(p *panel) {
			p.held(app.Press{Key: "Control"})
			time.Sleep(2 * holdFor)
			p.released(app.Press{Key: "Control"})
		}, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := lab(t)
			c.do(p)
			if synctest.Wait(); p.keys.shown != c.shown {
				t.Errorf("%s: shown: %v", c.name, p.keys.shown)
			}
		})
	}
}
