//go:build js && wasm

package levers

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// startChaos wires the levers of chaos: faults at random.
func startChaos(a *app.App, set setter, say sayer) {
	box := a.Doc.GetElementByID("levers-chaos")
	var last revisions.Chaos
	app.On(a.Bus, func(f revisions.Frame) {
		if f.State == nil || f.State.Chaos == last {
			return
		}
		last = f.State.Chaos
		a.RenderFunc(box, func() templ.Component { return Chaos(last) })
	})
	a.Action("lever-chaos", func(*dom.Element, dom.Event) {
		const off = `{"spec":{"chaos":{"enabled":false}}}`
		if last.On {
			set(off, `{"spec":{"chaos":{"enabled":true}}}`, "Nothing goes wrong by itself any more.", "chaos stopped")
			return
		}
		interval, err := strconv.Atoi(strings.TrimSpace(a.Field("lever-interval").Value()))
		if err != nil || interval < 1 {
			say(true, "It needs a number of seconds, 1 or more.")
			return
		}
		seed := strings.TrimSpace(a.Field("lever-seed").Value())
		if seed == "" {
			seed = "null" // the server chooses one
		} else if _, err := strconv.ParseInt(seed, 10, 64); err != nil {
			say(true, "A seed is a whole number.")
			return
		}
		body := `{"spec":{"chaos":{"enabled":true,"seed":` + seed + `,"intervalSeconds":` + strconv.Itoa(interval) + `}}}`
		set(body, off, "Things go wrong at random now.", "chaos")
	})
}
