package levers

import (
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/app"
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
	draw := func() {
		a.Draw("levers-caches", func() templ.Component { return ui.CacheLevers(ui.CacheRows(a.Seen.State)) })
	}
	app.On(a.Bus, func(f revisions.Frame) {
		if f.State != nil {
			draw()
		}
	})
	set := func(rows []ui.CacheRow, done, label string) {
		change(ui.CachePatch(rows), ui.CachePatch(ui.CacheRows(a.Seen.State)), done, label)
	}
	row := func(u app.Use) ([]ui.CacheRow, *ui.CacheRow) {
		rows := ui.CacheRows(a.Seen.State)
		i, _ := strconv.Atoi(u.Attr("data-i"))
		if i >= len(rows) {
			return rows, nil
		}
		return rows, &rows[i]
	}
	a.OnUse("lever-servers", func(u app.Use) {
		n, _ := strconv.Atoi(u.Value())
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
	a.OnUse("lever-lag", func(u app.Use) {
		rows, r := row(u)
		values, _, problem := entered([]settings.Setting{settings.Lag}, func(string) string {
			return u.Value()
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
	a.OnUse("lever-freeze", func(u app.Use) {
		if rows, r := row(u); r != nil {
			r.Frozen = !r.Frozen
			set(rows, r.Name+" "+r.Does()+".", r.Name+" "+r.Does())
		}
	})
	a.OnUse("lever-keep-up", func(u app.Use) {
		if rows, r := row(u); r != nil {
			r.Frozen, r.Lag = false, 0
			set(rows, r.Name+" keeps up.", r.Name+" keeps up")
		}
	})
}

// startClockLevers keeps the clock's levers up to date with the cluster.
func startClockLevers(a *app.App, set setter, run func(app.RunAct), say sayer) {
	now := func() string {
		return a.Seen.State.Clock.At(time.Now()).Local().Format("2006-01-02 15:04:05")
	}
	draw := func() {
		a.Draw("levers-clock", func() templ.Component { return ui.ClockLevers(a.Seen.State.Clock, now()) })
	}
	app.On(a.Bus, func(f revisions.Frame) {
		if f.State != nil {
			draw()
		}
	})
	app.Every(time.Second, func() {
		if a.Page.Call("menuIsOpen", "panel-clock").Bool() {
			draw()
		}
	})
	a.OnUse("lever-pause", func(app.Use) {
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
	a.OnUse("lever-rate", func(u app.Use) {
		for _, w := range settings.Rate.Words {
			if w.Key == u.Value() {
				body := func(rate any) string { return settings.Patch(settings.Values{settings.Rate.Path: rate}) }
				done := strings.ToUpper(w.Says[:1]) + w.Says[1:] + "."
				set(body(w.Value), body(a.Seen.State.Clock.Faster+1), done, "set the speed to "+w.Key)
			}
		}
	})
	a.OnUse("lever-advance", func(u app.Use) {
		by := u.Attr("data-by")
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
