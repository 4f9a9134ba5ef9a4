package requests

import (
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/ui"
)

const (
	// searchBytes are looked through in one frame of a search.
	searchBytes = 256 << 10
	// drawEvery is how often the list is drawn while requests come all the time.
	drawEvery = 60 * time.Millisecond
)

// panel lists the requests of the page.
type panel struct {
	*app.App
	view     *history.View
	seen     *app.Window
	selected int
	throttle app.Throttle   // of drawing what comes
	lanes    map[int]string // the names of watches' lanes, by the tap's id
	goal     app.GoalRequests
}

// Start runs the panel.
func Start(a *app.App) { start(a) }

func start(a *app.App) *panel {
	p := &panel{App: a, view: history.NewView(a.Requests), lanes: map[int]string{},
		throttle: app.Throttle{Every: drawEvery}}
	p.seen = a.NewWindow("history")
	p.view.SetFilter(history.Filter{Place: a.State().Place})
	app.On(a.Bus, func(app.EntryChanged) { p.throttle.Do(p.draw) })
	app.On(a.Bus, func(e app.Selected) {
		if e.Request != p.selected {
			p.choose(e.Request)
		}
	})
	app.On(a.Bus, func(app.ClusterChanged) { p.draw() }) // revisions of the one before are no links any longer
	app.On(a.Bus, func(e app.LaneNamed) { p.lanes[e.Request] = e.Lane })
	app.On(a.Bus, func(g app.GoalRequests) {
		p.goal = g
		p.throttle.Do(p.draw)
	})
	a.OnKey("j", func(app.Press) bool { p.step(1); return true })
	a.OnKey("k", func(app.Press) bool { p.step(-1); return true })
	compacted := int64(0)
	app.On(a.Bus, func(f revisions.Frame) {
		if f.State == nil {
			return
		}
		if now := f.State.Compacted; now > compacted &&
			history.Compacted(a.Requests, a.State().Place, now, time.Now()) != nil {
			p.draw()
		}
		compacted = f.State.Compacted
	})
	app.On(a.Bus, func(s app.State) {
		if f := p.view.Filter(); f.Place != s.Place {
			f.Place, compacted = s.Place, 0
			p.view.SetFilter(f)
			p.choose(0)
		}
		p.draw() // what requests wait for
	})
	p.filters()
	p.acts()
	p.draw()
	return p
}

// choose marks a request as the chosen one, and brings its row into view.
func (p *panel) choose(id int) {
	p.selected = id
	p.view.Update(0)
	if i := p.view.Index(id); i >= 0 {
		if r := p.view.Rows(i, i+1)[0]; r.ID != id {
			p.view.Fold(r.Run, true)
			p.view.Update(0)
			i = p.view.Index(id)
		}
		p.seen.Reveal(i)
	}
	p.Draw("exchange-tools", func() templ.Component {
		if p.Requests.Get(p.selected) == nil {
			return templ.NopComponent
		}
		return ExchangeTools()
	})
	p.draw()
}

// step chooses the request that many rows further down.
func (p *panel) step(rows int) {
	p.view.Update(0)
	if p.view.Len() == 0 {
		return
	}
	i := p.view.Index(p.selected) + rows
	if p.selected == 0 {
		i = 0
	}
	i = max(0, min(p.view.Len()-1, i))
	p.pick(p.view.Rows(i, i+1)[0].ID)
}

// draw brings the list up to date at the next frame, if it is in view.
func (p *panel) draw() {
	if !p.seen.Shown() {
		return
	}
	p.Draw("history", func() templ.Component {
		more := p.view.Update(searchBytes)
		if more {
			p.draw()
		}
		p.count(more)
		if p.view.Len() == 0 {
			return HistoryNone(p.Requests.In(p.view.Filter().Place), more)
		}
		return HistoryRows(p.window())
	})
}

// count shows how many requests pass the filter.
func (p *panel) count(more bool) {
	said := ""
	if f := p.view.Filter(); f != (history.Filter{Place: f.Place}) {
		said = ui.Count(len(p.view.Listed())) + " of " + ui.Count(p.Requests.In(f.Place))
		if more {
			said += "…"
		}
	}
	p.Page.Call("text", "history-count", said)
}

// window is the part of the list that can be seen, and a little more.
func (p *panel) window() HistoryWindow {
	n := p.view.Len()
	from, to, above, below := p.seen.Rows(n)
	w := HistoryWindow{Order: p.view.Order(), First: from, Total: n, Above: above, Below: below}
	rows := p.view.Rows(from, to)
	entries := make([]*tap.Exchange, len(rows))
	for i, r := range rows {
		entries[i] = r.Exchange
	}
	now := time.Now()
	scale := history.NewScale(entries, now)
	at := p.Positions()
	for _, r := range rows {
		row := p.row(r, at, now)
		row.Bar = scale.Bar(r.Exchange, now)
		w.Rows = append(w.Rows, row)
	}
	return w
}

func (p *panel) row(r history.Row, at history.Positions, now time.Time) HistoryRow {
	e := r.Exchange
	row := HistoryRow{
		ID: e.ID, Count: r.Count, Run: r.Run, Open: r.Open, Method: e.Method, URL: e.URL, Dir: history.Prefix(e),
		Verb: e.Info.Verb, Live: e.Live(), Kept: e.Kept, Refs: "req-" + strconv.Itoa(e.ID), Size: text.Size(e.Size),
		Bad:      r.Failed > 0,
		Selected: e.ID == p.selected, Started: e.Started.Local().Format("15:04:05.000"),
		Chip: r.Chip(p.lanes[e.ID], at.Waits(e)),
	}
	if c := &row.Chip; c.Revision > 0 && p.Left(e, c.Revision) {
		c.Revision, c.Left = 0, true
	}
	if n := slices.Index(p.goal.IDs, e.ID); n >= 0 && r.Count == 1 {
		row.Goal = p.goal.First + n
		row.Over = row.Goal > p.goal.Fewest
	}
	if len(at.Caches) > 1 && e.Source.Server >= 0 || e.Source.Server > 0 {
		row.Server = "C" + strconv.Itoa(e.Source.Server)
	}
	if day := e.Started.Local().Format("2 January 2006"); day != now.Local().Format("2 January 2006") {
		row.Day = day
	}
	if ref := e.Info.Ref(); ref != "" {
		row.Refs += " " + ref
	}
	switch {
	case e.Phase == tap.Failed:
		row.Status = "failed"
	case e.Phase == tap.Aborted && e.Status == 0:
		row.Status = "aborted"
	case e.Status == 0:
		row.Status = "…"
	default:
		row.Status = strconv.Itoa(e.Status)
	}
	if r.Failed > 0 && r.Count > 1 {
		row.Status = strconv.Itoa(r.Failed) + " failed"
	}
	if e.Streams() {
		row.Size = strconv.Itoa(e.Events) + " ev"
	}
	if row.Setup = r.Setup(); row.Setup {
		row.Status, row.Bad, row.Size, row.Chip = "", false, "", history.Chip{}
		return row
	}
	if !e.Live() {
		row.Time = text.Duration(e.Duration(time.Time{}))
	}
	return row
}

// pick makes a request the chosen one.
func (p *panel) pick(id int) { p.Select(app.Selection{Request: id}, "requests") }
