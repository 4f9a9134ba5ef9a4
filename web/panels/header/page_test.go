//go:build !js

package header

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// TestKept wants the bar to say whether the cluster outlives the tab.
func TestKept(t *testing.T) {
	for _, c := range []struct {
		state         app.State
		trouble, want string
	}{
		{app.State{Target: "tab", Phase: "loading"}, "", ""},
		{app.State{Target: "tab", Phase: "ready"}, "", "in memory only"},
		{app.State{Target: "devserver", Phase: "ready"}, "", ""},
		{app.State{Target: "scene", Persistent: true}, "", "a scene’s cluster"},
		{app.State{Target: "room", Persistent: true}, "", "shared"},
		{app.State{SecondTab: true, Persistent: true}, "", "a copy in memory"},
		{app.State{Persistent: true, Tabs: 3, Tab: "tab 2"}, "", "saved, tab 2 of 3"},
		{app.State{Persistent: true, Tabs: 1}, "", "saved"},
		{app.State{Persistent: true}, "disk full", "not saved"},
	} {
		if words, _ := kept(c.state, c.trouble); words != c.want {
			t.Errorf("%+v: %q, not %q", c.state, words, c.want)
		}
	}
	a := app.New()
	start(a)
	app.Emit(a.Bus, revisions.Frame{State: &revisions.State{Cluster: "c", Trouble: "disk full"}})
	if shows := a.Page.Shows("kept"); !strings.Contains(shows, "not saved") {
		t.Error(shows)
	}
	a.Page.Uses["target"](app.Use{Holds: "room"})
	if calls := strings.Join(a.Page.Take(), "; "); !strings.Contains(calls, "setTarget room") {
		t.Error(calls)
	}
}
