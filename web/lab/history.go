//go:build js && wasm

package lab

import (
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/timeline"
	"github.com/tabernetes/tabernetes/web/ui"
)

// maxRows are listed of the history.
const maxRows = 2000

func startHistory(a *app.App) {
	list, tools := a.Doc.GetElementByID("history"), a.Doc.GetElementByID("history-tools")
	selected := 0
	seen := a.NewWindow(list)
	draw := func() {
		a.RenderFunc(list, func() templ.Component {
			rows, hidden := a.Requests.Rows(maxRows)
			if len(rows) == 0 {
				return ui.Empty("No requests.")
			}
			from, to, above, below := seen.Rows(len(rows))
			w := ui.HistoryWindow{Total: len(rows), First: from, Above: above, Below: below, Hidden: hidden}
			for _, r := range rows[from:to] {
				row := historyRow(r)
				row.Selected = r.ID == selected
				w.Rows = append(w.Rows, row)
			}
			return ui.HistoryRows(w)
		})
		a.RenderFunc(tools, func() templ.Component {
			return ui.HistoryTools(a.Requests.Get(selected) != nil, a.Requests.Len() > 0)
		})
	}
	a.RenderFunc(tools, func() templ.Component { return ui.HistoryTools(false, false) })
	app.On(a.Bus, func(app.Exchanged) { draw() })
	app.On(a.Bus, func(e app.Selected) {
		if e.Request != selected {
			selected = e.Request
			draw()
		}
	})
	a.Action("history-scroll", func(*dom.Element, dom.Event) {
		if a.Requests.Len() > 20 {
			seen.Measure()
			draw()
		}
	})
	a.Action("history-pick", func(el *dom.Element, _ dom.Event) {
		id, _ := strconv.Atoi(el.GetAttribute("data-id"))
		a.Select(app.Selection{Request: id}, "history")
	})
	a.Action("history-abort", func(el *dom.Element, _ dom.Event) {
		id, _ := strconv.Atoi(el.GetAttribute("data-id"))
		a.Abort(id)
	})
	// bodyless says that a request can no longer be had as it was.
	bodyless := func(e *history.Entry) bool {
		if e.Bodyless {
			a.Toast("The body of this request is no longer kept: newer ones needed the room.")
		}
		return e.Bodyless
	}
	a.Action("history-open", func(*dom.Element, dom.Event) {
		if e := a.Requests.Get(selected); e != nil && !bodyless(e) {
			app.Emit(a.Bus, app.Compose{Request: app.Request{Method: e.Method, Path: e.URL, Header: e.Header, Body: e.Body}})
		}
	})
	a.Action("history-copy", func(el *dom.Element, _ dom.Event) {
		e := a.Requests.Get(selected)
		if e == nil || bodyless(e) {
			return
		}
		call, server := e.Call(), dom.Origin()
		switch as := el.GetAttribute("data-as"); as {
		case "curl":
			a.Copy(call.Curl(server), "as curl")
		case "kubectl":
			a.Copy(call.Kubectl(server), "as kubectl")
		default:
			a.Copy(call.Fetch(), "as fetch")
		}
	})
	a.Action("history-clear", func(*dom.Element, dom.Event) {
		a.Requests.Clear()
		draw()
	})
}

func historyRow(r history.Row) ui.HistoryRow {
	e := r.Entry
	row := ui.HistoryRow{
		ID: e.ID, Count: r.Count, Method: e.Method, URL: e.URL, Verb: e.Info.Verb, Origin: e.Origin, Live: e.Live(),
		Refs: "req-" + strconv.Itoa(e.ID), Size: text.Size(e.Size), Bad: e.Status >= 400,
	}
	if n := e.Get(timeline.ReplicaHeader); n != "" {
		row.Server = "C" + n
	}
	if i := strings.Index(e.URL, "/"+e.Info.Resource); e.Info.Resource != "" && i >= 0 {
		row.Dir = i + 1
	}
	if ref := e.Info.Ref(); ref != "" {
		row.Refs += " " + ref
	}
	switch {
	case e.Phase == history.Failed:
		row.Status, row.Bad = "failed", true
	case e.Phase == history.Aborted && e.Status == 0:
		row.Status = "aborted"
	case e.Status == 0:
		row.Status = "…"
	default:
		row.Status = strconv.Itoa(e.Status)
	}
	if r.Failed > 0 && r.Count > 1 {
		row.Status, row.Bad = strconv.Itoa(r.Failed)+" failed", true
	}
	if e.Info.Verb == "watch" && e.Status == 200 {
		row.Size = strconv.Itoa(e.Events) + " ev"
	}
	if !e.Live() {
		row.Time = text.Duration(e.Duration(time.Time{}))
	}
	return row
}
