package levers

import (
	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// startBuffers keeps the menu of the buffers up to date, and lets restart servers. It returns what is to be called when
// the menu opens.
func startBuffers(a *app.App, run func(app.RunAct)) (opened func()) {
	var known revisions.Windows
	draw := func() {
		if !a.Page.Call("menuIsOpen", "panel-buffers").Bool() {
			return
		}
		a.Draw("levers-windows", func() templ.Component { return BufferTable(known, BufferRows(known, a.Seen.State)) })
	}
	app.On(a.Bus, func(w revisions.Windows) {
		known = w
		draw()
	})
	a.OnUse("lever-restart", func(u app.Use) {
		run(app.RunAct{Act: settings.Restart, Parameters: settings.Values{"server": u.Int("data-i")}})
	})
	return func() {
		draw()
		app.Emit(a.Bus, app.AskWindows{})
	}
}
