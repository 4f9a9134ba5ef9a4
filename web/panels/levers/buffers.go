//go:build js && wasm

package levers

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// buffers is what the watch caches are set to.
type buffers struct{ least, most, progress int64 }

// body returns the patch that sets it.
func (b buffers) body() string {
	n := func(n int64) string { return strconv.FormatInt(n, 10) }
	return `{"spec":{"cache":{"capacity":{"least":` + n(b.least) + `,"most":` + n(b.most) + `},"progressSeconds":` +
		n(b.progress) + `}}}`
}

// startBuffers keeps the menu of the buffers up to date, and lets restart servers. It returns what is to be called when
// the menu opens.
func startBuffers(a *app.App, set setter, pull func(r app.Request, done string), say sayer) (opened func()) {
	box := a.Doc.GetElementByID("levers-windows")
	var known revisions.Windows
	var was buffers
	draw := func() {
		if !a.Page.Call("menuIsOpen", "panel-buffers").Bool() {
			return
		}
		a.RenderFunc(box, func() templ.Component { return BufferTable(known, BufferRows(known, a.Seen.State)) })
	}
	app.On(a.Bus, func(w revisions.Windows) {
		known = w
		draw()
	})
	least, most, progress := a.Field("lever-least"), a.Field("lever-most"), a.Field("lever-progress")
	a.Action("lever-buffers", func(*dom.Element, dom.Event) {
		number := func(text string) int64 {
			n, _ := strconv.ParseInt(text, 10, 64)
			return n
		}
		now := buffers{number(least.Value()), number(most.Value()), number(progress.Value())}
		switch {
		case now.least < 1 || now.most < now.least:
			say(true, "The capacity needs a number of events, 1 or more, and at most not less than at least.")
			return
		case now.progress < 1:
			say(true, "The interval needs a number of seconds, 1 or more.")
			return
		}
		done := "Buffers have room for " + strconv.FormatInt(now.least, 10)
		if now.most > now.least {
			done += " to " + strconv.FormatInt(now.most, 10)
		}
		set(now.body(), was.body(), done+" events.", "buffers")
		was = now
	})
	a.Action("lever-restart", func(el *dom.Element, _ dom.Event) {
		i := el.GetAttribute("data-i")
		r := lever("restart")
		r.Body = `{"server":` + i + `}`
		pull(r, "The API server was restarted: its caches begin anew.")
	})
	return func() {
		draw()
		go func() {
			res, err := a.Fetch(context.Background(), app.Request{Method: "GET", Path: wellknown.ControlPlane, Quiet: true})
			if err != nil || res.Status != 200 {
				return
			}
			var cp struct {
				Spec struct {
					Cache struct {
						Capacity        struct{ Least, Most int64 }
						ProgressSeconds int64
					}
				}
			}
			if json.Unmarshal([]byte(res.Body), &cp) != nil {
				return
			}
			c := cp.Spec.Cache
			was = buffers{c.Capacity.Least, c.Capacity.Most, c.ProgressSeconds}
			least.Set(strconv.FormatInt(was.least, 10))
			most.Set(strconv.FormatInt(was.most, 10))
			progress.Set(strconv.FormatInt(was.progress, 10))
		}()
		app.Emit(a.Bus, app.AskWindows{})
	}
}
