package header

import (
	"strconv"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// Start runs the panel.
func Start(a *app.App) { start(a) }

// start keeps the target switch and the state of the cluster up to date.
func start(a *app.App) {
	draw := func() {
		a.Draw("kept", func() templ.Component {
			words, title := kept(a.State(), a.Seen.State.Trouble)
			return Kept(words, title, a.Seen.State.Trouble != "")
		})
	}
	app.On(a.Bus, func(f revisions.Frame) {
		if f.State != nil {
			a.Page.Call("trouble", f.State.Trouble)
			draw()
		}
	})
	app.On(a.Bus, func(s app.State) {
		draw()
		a.Page.Call("check", "target", s.Target)
	})
	a.OnUse("target", func(u app.Use) {
		a.SetTarget(u.Value())
		a.Announce("Requests now go to the cluster " + u.Text())
	})
}

// kept says whether the cluster outlives the tab, in words and as a longer title.
func kept(s app.State, trouble string) (words, title string) {
	switch {
	case trouble != "":
		return "not saved", "Writes are refused, since they cannot be saved: " + trouble
	case s.Target == "devserver":
	case s.Target == "scene":
		return "a scene’s cluster", "In memory, for the scene that is playing. Your own cluster comes back unchanged " +
			"when you leave."
	case s.Target == "room":
		return "shared", "The cluster is on a server, and everyone in the room sees what you write."
	case s.SecondTab:
		return "a copy in memory", "Another tab has the saved cluster. Changes here are lost when this tab closes."
	case s.Persistent && s.Tabs > 1:
		return "saved, " + s.Tab + " of " + strconv.Itoa(s.Tabs), "The tabs of this browser share the cluster. It runs in " +
			"tab 1; when that is closed, in another one: watches are cut then, and can resume."
	case s.Persistent:
		title = "Objects, revisions and history are kept in this browser and survive a reload."
		if s.Evictable {
			title += " It may delete them when it runs out of space; Safari does after seven days without a visit. Levers: " +
				"save to a file."
		}
		return "saved", title
	case s.Phase == "ready":
		return "in memory only", "This browser stores nothing for this page: the cluster is lost when the tab closes."
	}
	return "", ""
}
