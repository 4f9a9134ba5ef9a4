//go:build js && wasm

package levers

import (
	"strconv"
	"syscall/js"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/ui"
)

type (
	// A setter changes settings; back sets them back, done is the message, label is the name of undoing it.
	setter func(body, back, done, label string)
	sayer  func(bad bool, s string)
)

// startCacheLevers keeps the API servers' levers up to date with the cluster.
func startCacheLevers(a *app.App, change setter, say sayer) {
	box := a.Doc.GetElementByID("levers-caches")
	draw := func() {
		a.RenderFunc(box, func() templ.Component { return ui.CacheLevers(ui.CacheRows(a.Seen.State)) })
	}
	app.On(a.Bus, func(f revisions.Frame) {
		if f.State != nil {
			draw()
		}
	})
	set := func(rows []ui.CacheRow, done, label string) {
		change(ui.CachePatch(rows), ui.CachePatch(ui.CacheRows(a.Seen.State)), done, label)
	}
	row := func(el *dom.Element) ([]ui.CacheRow, *ui.CacheRow) {
		rows := ui.CacheRows(a.Seen.State)
		i, _ := strconv.Atoi(el.GetAttribute("data-i"))
		if i >= len(rows) {
			return rows, nil
		}
		return rows, &rows[i]
	}
	a.Action("lever-servers", func(el *dom.Element, _ dom.Event) {
		n, _ := strconv.Atoi(el.Underlying().Get("value").String())
		rows := ui.CacheRows(a.Seen.State)
		for len(rows) < n {
			rows = append(rows, ui.CacheRow{})
		}
		done := "One API server answers."
		if n > 1 {
			done = strconv.Itoa(n) + " API servers answer, in turn."
		}
		set(rows[:n], done, strconv.Itoa(n)+" servers")
	})
	a.Action("lever-lag", func(el *dom.Element, _ dom.Event) {
		rows, r := row(el)
		values, _, problem := entered([]settings.Setting{settings.Lag}, func(string) string {
			return el.Underlying().Get("value").String()
		})
		if problem != "" {
			say(true, problem)
			return
		}
		if r != nil {
			r.Lag = values[settings.Lag.Path].(int64)
			set(rows, r.Name+" "+r.Does()+".", r.Name+" "+r.Does())
		}
	})
	a.Action("lever-freeze", func(el *dom.Element, _ dom.Event) {
		if rows, r := row(el); r != nil {
			r.Frozen = !r.Frozen
			set(rows, r.Name+" "+r.Does()+".", r.Name+" "+r.Does())
		}
	})
	a.Action("lever-keep-up", func(el *dom.Element, _ dom.Event) {
		if rows, r := row(el); r != nil {
			r.Frozen, r.Lag = false, 0
			set(rows, r.Name+" keeps up.", r.Name+" keeps up")
		}
	})
}

// startClockLevers keeps the clock's levers up to date with the cluster.
func startClockLevers(a *app.App, set setter, run func(app.RunAct), say sayer) {
	box := a.Doc.GetElementByID("levers-clock")
	now := func() string {
		return a.Seen.State.Clock.At(time.Now()).Local().Format("2006-01-02 15:04:05")
	}
	draw := func() {
		a.RenderFunc(box, func() templ.Component { return ui.ClockLevers(a.Seen.State.Clock, now()) })
	}
	app.On(a.Bus, func(f revisions.Frame) {
		if f.State != nil {
			draw()
		}
	})
	tick := js.FuncOf(func(js.Value, []js.Value) any {
		if a.Page.Call("menuIsOpen", "panel-clock").Bool() {
			draw()
		}
		return nil
	})
	js.Global().Call("setInterval", tick, 1000)
	a.Action("lever-pause", func(*dom.Element, dom.Event) {
		paused, done := !a.Seen.State.Clock.Paused, "Clock running."
		if paused {
			done = "Clock paused."
		}
		body := func(paused bool) string { return settings.Patch(settings.Values{settings.Paused.Path: paused}) }
		label := "paused the clock"
		if !paused {
			label = "resumed the clock"
		}
		set(body(paused), body(!paused), done, label)
	})
	a.Action("lever-advance", func(el *dom.Element, _ dom.Event) {
		by := el.GetAttribute("data-by")
		if by == "" {
			by = a.Field("lever-by").Value()
		}
		seconds, ok := ui.Seconds(by)
		if !ok {
			say(true, "Advance by a span of time such as 90s, 10m or 1h30m.")
			return
		}
		run(app.RunAct{Act: settings.Advance, Parameters: settings.Values{"seconds": seconds}, Value: ui.Span(seconds)})
	})
}
