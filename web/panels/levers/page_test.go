//go:build !js

package levers

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// bench is a lab with the levers, and what they have asked for.
type bench struct {
	*app.App
	u     *undo
	offer app.UndoOffer
	sent  []string
	fails bool
}

func pull(t *testing.T, f func(t *testing.T, b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		a := app.New()
		b := &bench{App: a}
		a.Page.Serve = func(r app.Request) (app.Response, error) {
			b.sent = append(b.sent, r.Method+" "+strings.TrimPrefix(r.Path, wellknown.ControlPlane)+" "+r.Body)
			if b.fails {
				return app.Response{Status: 422, Body: `{"message":"not so"}`}, nil
			}
			return app.Response{Status: 200, Body: `{"spec":{}}`}, nil
		}
		a.Page.Holds["takeSnapshot "+wellknown.ControlPlane+"/snapshot"] = "3"
		b.u = start(a)
		app.On(a.Bus, func(o app.UndoOffer) { b.offer = o })
		app.Emit(a.Bus, app.State{Place: "tab"})
		f(t, b)
		time.Sleep(time.Second) // what it discovers of a new cluster is known then
		synctest.Wait()
	})
}

// use uses an element, and returns what was sent because of that.
func (b *bench) use(action string, u app.Use) []string {
	b.sent = nil
	if u.Attributes == nil {
		u.Attributes = map[string]string{}
	}
	b.Page.Uses[action](u)
	synctest.Wait()
	return b.sent
}

// TestUndo wants an act to offer its snapshot until the next write, for a minute, and where it was done.
func TestUndo(t *testing.T) {
	compact := app.RunAct{Act: settings.Compact, Parameters: settings.Values{"revision": 4}, Value: "4"}
	dropped := func(b *bench) bool { return slices.Contains(b.Page.Take(), "dropSnapshot 3") }
	for _, c := range []struct {
		name string
		then func(b *bench)
		kept bool // the offer still stands
	}{
		{"nothing", func(*bench) {}, true},
		{"a write", func(b *bench) {
			app.Emit(b.Bus, revisions.Frame{Commit: &revisions.Commit{Revision: 9, Resource: "pods"}})
		}, false},
		{"a setting's own write", func(b *bench) {
			app.Emit(b.Bus, revisions.Frame{Commit: &revisions.Commit{Revision: 9, Resource: "controlplanes"}})
		}, true},
		{"a minute", func(*bench) { time.Sleep(undoFor + time.Second); synctest.Wait() }, false},
		{"elsewhere and back", func(b *bench) {
			app.Emit(b.Bus, app.State{Place: "devserver"})
			if b.offer.Label != "" {
				t.Errorf("elsewhere %q is offered", b.offer.Label)
			}
			app.Emit(b.Bus, app.State{Place: "tab"})
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			pull(t, func(t *testing.T, b *bench) {
				app.Emit(b.Bus, compact)
				synctest.Wait()
				if b.offer.Label != "compacted to 4" || !slices.Equal(b.sent, []string{`POST /compact {"revision":4}`}) {
					t.Fatalf("offers %+v, sent %q", b.offer, b.sent)
				}
				if c.then(b); (b.offer.Label != "") != c.kept || dropped(b) == c.kept {
					t.Errorf("offers %+v", b.offer)
				}
			})
		})
	}
}

// TestTakesBack checks that undo restores the snapshot of an act, and the values of a setting.
func TestTakesBack(t *testing.T) {
	pull(t, func(t *testing.T, b *bench) {
		app.Emit(b.Bus, app.RunAct{Act: settings.Compact})
		synctest.Wait()
		b.Page.Take()
		b.use("undo", app.Use{})
		if calls := b.Page.Take(); !slices.Contains(calls, "putSnapshot 3") || b.offer.Label != "" {
			t.Errorf("%q, offers %+v", calls, b.offer)
		}
		app.Emit(b.Bus, app.ChangeSetting{Patch: "on", Back: "off", Label: "it", Done: "Done."})
		synctest.Wait()
		if sent := b.use("undo", app.Use{}); !slices.Equal(sent, []string{"PATCH  off"}) {
			t.Errorf("sent %q", sent)
		}
		b.fails = true
		app.Emit(b.Bus, app.RunAct{Act: settings.Compact})
		synctest.Wait()
		if !strings.Contains(b.Page.Shows("levers-result"), "not so") || b.offer.Label != "" {
			t.Errorf("%s, offers %+v", b.Page.Shows("levers-result"), b.offer)
		}
	})
}

// TestConfirm wants a lever with a question to be pulled by a second press within a few seconds.
func TestConfirm(t *testing.T) {
	pull(t, func(t *testing.T, b *bench) {
		button := map[string]string{"data-lever": "reset", "data-confirm": "Really?", "content": "Reset"}
		press := func() []string { return b.use("lever", app.Use{Attributes: button}) }
		if sent := press(); len(sent) > 0 || button["content"] != "Really?" {
			t.Fatalf("sent %q, asks %q", sent, button["content"])
		}
		time.Sleep(5 * time.Second)
		if synctest.Wait(); button["content"] != "Reset" {
			t.Fatalf("it still asks %q", button["content"])
		}
		press()
		if sent := press(); !slices.Contains(sent, "POST /reset {}") || button["content"] != "Reset" {
			t.Errorf("sent %q, says %q", sent, button["content"])
		}
	})
}

// TestServersAndClock wants the levers of servers and of the clock to change what they say.
func TestServersAndClock(t *testing.T) {
	for _, c := range []struct {
		action, want string
		use          app.Use
	}{
		{"lever-servers", `"replicas":[{`, app.Use{Holds: "3"}},
		{"lever-freeze", `"frozen":true`, app.Use{Attributes: map[string]string{"data-i": "1"}}},
		{"lever-freeze", "", app.Use{Attributes: map[string]string{"data-i": "7"}}},
		{"lever-lag", `"lagSeconds":5`, app.Use{Attributes: map[string]string{"data-i": "1"}, Holds: "5"}},
		{"lever-lag", "", app.Use{Attributes: map[string]string{"data-i": "1"}, Holds: "long"}},
		{"lever-keep-up", `"replicas":[{`, app.Use{Attributes: map[string]string{"data-i": "0"}}},
		{"lever-pause", `"paused":true`, app.Use{}},
		{"lever-rate", `{"spec":{"clock":{"rate":60}}}`, app.Use{Holds: "60"}},
		{"lever-rate", "", app.Use{Holds: "59"}},
		{"lever-advance", `{"seconds":90}`, app.Use{Attributes: map[string]string{"data-by": "90s"}}},
		{"lever-advance", "", app.Use{Attributes: map[string]string{"data-by": "soon"}}},
		{"lever-restart", `{"server":1}`, app.Use{Attributes: map[string]string{"data-i": "1"}}},
	} {
		pull(t, func(t *testing.T, b *bench) {
			b.Seen.State = revisions.State{Caches: []int64{4, 4}, Replicas: make([]revisions.Replica, 2)}
			sent := strings.Join(b.use(c.action, c.use), "\n")
			if c.want == "" && sent != "" || !strings.Contains(sent, c.want) {
				t.Errorf("%s %+v sends %q, not %s", c.action, c.use, sent, c.want)
			}
		})
	}
}

// TestChoices wants the choice of a setting to be sent, and offered for undoing, and a value that it lacks to be
// ignored.
func TestChoices(t *testing.T) {
	for _, c := range []struct{ path, value, want string }{
		{settings.Authorization.Path, "RBAC", `PATCH  {"spec":{"authorization":{"mode":"RBAC"}}}`},
		{settings.Match.Path, "Ignore", `PATCH  {"spec":{"compatibility":{"resourceVersionMatch":"Ignore"}}}`},
		{settings.Match.Path, "RBAC", ""}, {settings.Lag.Path, "5", ""},
	} {
		pull(t, func(t *testing.T, b *bench) {
			b.use("menu", app.Use{Name: "panel-levers", Holds: "open"})
			sent := strings.Join(b.use("lever-choice", app.Use{Attributes: map[string]string{"name": fieldOf(c.path)},
				Holds: c.value}), "\n")
			if sent != c.want {
				t.Errorf("%s of %s sends %q", c.value, c.path, sent)
			}
			if c.want != "" && !strings.HasSuffix(b.offer.Label, " "+c.value) {
				t.Errorf("to be undone: %+v", b.offer)
			}
		})
	}
}

// TestMenus wants each menu to show what is its own, as of the cluster's last state.
func TestMenus(t *testing.T) {
	pull(t, func(t *testing.T, b *bench) {
		b.Page.Holds["menuIsOpen panel-buffers"] = "true"
		app.Emit(b.Bus, revisions.Frame{State: &revisions.State{Cluster: "c", Caches: []int64{4},
			Replicas: make([]revisions.Replica, 1), Chaos: revisions.Chaos{On: true}}})
		app.Emit(b.Bus, revisions.Windows{})
		for id, has := range map[string]string{
			"levers-caches": "lever-freeze", "levers-clock": "lever-pause", "levers-chaos": "lever-chaos", "levers-windows": "<",
		} {
			if shows := b.Page.Shows(id); !strings.Contains(shows, has) {
				t.Errorf("%s has no %s: %s", id, has, shows)
			}
		}
	})
}

// TestFork wants a fork to keep the cluster that is left, and to be of the revision that is travelled to.
func TestFork(t *testing.T) {
	pull(t, func(t *testing.T, b *bench) {
		b.Page.Take()
		if b.use("fork", app.Use{}); len(b.Page.Take()) > 0 {
			t.Error("the present was forked")
		}
		b.At, b.Seen.Head = 4, 9
		b.Page.Holds["takeSnapshot "+wellknown.ControlPlane+"/snapshot?revision=4"] = "5"
		b.use("fork", app.Use{})
		if calls := b.Page.Take(); !slices.Contains(calls, "putSnapshot 5") || b.At != 0 {
			t.Errorf("%q, at %d", calls, b.At)
		}
		if kept := b.Page.Shows("levers-kept"); !strings.Contains(kept, "revision 9, before the fork at 4") {
			t.Errorf("kept: %s", kept)
		}
		b.use("kept-drop", app.Use{Attributes: map[string]string{"data-id": "3"}})
		if calls := b.Page.Take(); !slices.Contains(calls, "dropSnapshot 3") {
			t.Errorf("%q", calls)
		}
	})
}

// TestChaos wants chaos to be started with what the fields say, and to be stopped while it runs.
func TestChaos(t *testing.T) {
	pull(t, func(t *testing.T, b *bench) {
		for _, c := range []struct{ interval, seed, want string }{
			{"10", "", `"enabled":true`}, {"10", "7", `"seed":7`}, {"often", "", ""}, {"10", "seven", ""},
		} {
			b.Page.Holds["lever-interval"], b.Page.Holds["lever-seed"] = c.interval, c.seed
			sent := strings.Join(b.use("lever-chaos", app.Use{}), "\n")
			if c.want == "" && sent != "" || !strings.Contains(sent, c.want) {
				t.Errorf("every %q with %q sends %q, not %s", c.interval, c.seed, sent, c.want)
			}
		}
		app.Emit(b.Bus, revisions.Frame{State: &revisions.State{Cluster: "c", Chaos: revisions.Chaos{On: true}}})
		if sent := strings.Join(b.use("lever-chaos", app.Use{}), "\n"); !strings.Contains(sent, `"enabled":false`) {
			t.Errorf("sent %q", sent)
		}
	})
}
