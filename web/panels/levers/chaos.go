package levers

import (
	"strings"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// startChaos wires the levers of chaos: faults at random.
func startChaos(a *app.App, set setter, say sayer) {
	var last revisions.Chaos
	app.On(a.Bus, func(f revisions.Frame) {
		if f.State == nil || f.State.Chaos == last {
			return
		}
		last = f.State.Chaos
		a.Draw("levers-chaos", func() templ.Component { return Chaos(last) })
	})
	a.OnUse("lever-chaos", func(app.Use) {
		off := settings.Patch(settings.Values{settings.Chaos.Path: false})
		if last.On {
			set(off, settings.Patch(settings.Values{settings.Chaos.Path: true}), "Chaos is stopped.",
				"chaos stopped")
			return
		}
		values, _, problem := entered([]settings.Setting{settings.ChaosInterval}, func(string) string {
			return a.Field("lever-interval").Value()
		})
		var seed any // nil: the server chooses one
		if text := strings.TrimSpace(a.Field("lever-seed").Value()); text != "" && problem == "" {
			var given settings.Values
			given, _, problem = entered([]settings.Setting{settings.ChaosSeed}, func(string) string { return text })
			seed = given[settings.ChaosSeed.Path]
		}
		if problem != "" {
			say(true, problem)
			return
		}
		values[settings.Chaos.Path], values[settings.ChaosSeed.Path] = true, seed
		set(settings.Patch(values), off, "Chaos is running: faults are injected at random.", "chaos")
	})
}
