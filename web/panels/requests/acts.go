package requests

import (
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/ui"
)

// devserverOrigin is where a devserver listens by default.
const devserverOrigin = "http://127.0.0.1:8080"

// filters registers the actions that filter and sort the rows.
func (p *panel) filters() {
	filter := func(change func(f *history.Filter)) {
		f := p.view.Filter()
		change(&f)
		p.view.SetFilter(f)
		p.seen.ToTop()
		p.draw()
	}
	p.OnUse("history-kind", func(u app.Use) {
		filter(func(f *history.Filter) { f.Kind = history.Kind(u.Value()) })
	})
	p.OnUse("history-origin", func(u app.Use) {
		filter(func(f *history.Filter) { f.Origin = u.Value() })
	})
	p.OnUse("history-search", func(u app.Use) {
		filter(func(f *history.Filter) { f.Text = u.Value() })
	})
	p.OnUse("history-all", func(app.Use) {
		filter(func(f *history.Filter) { *f = history.Filter{Place: f.Place} })
		for _, id := range []string{"history-search", "history-origin"} {
			p.Field(id).Set("")
		}
		p.Page.Call("check", "history-kind", "")
		p.Field("history-search").Focus()
	})
	sorted := func(o history.Order) {
		p.view.SetOrder(o)
		p.Field("history-by").Set(string(o.Column()))
		p.seen.ToTop()
		p.draw()
	}
	p.OnUse("history-sort", func(u app.Use) {
		o := p.view.Order().Next(history.Column(u.Attr("data-by")))
		sorted(o)
		way := "descending"
		if o.Ascending {
			way = "ascending"
		}
		p.Announce("Sorted by " + string(o.Column()) + ", " + way)
	})
	p.OnUse("history-by", func(u app.Use) {
		if by := history.Column(u.Value()); by != p.view.Order().Column() {
			sorted(p.view.Order().Next(by))
		}
	})
	p.OnUse("history-fold", func(u app.Use) {
		run, _ := strconv.Atoi(u.Attr("data-run"))
		p.view.Fold(run, u.Attr("aria-expanded") != "true")
		p.draw()
	})
	p.OnUse("history-scroll", func(app.Use) {
		p.seen.Measure()
		p.draw()
	})
	p.OnUse("history-menu", func(u app.Use) {
		if u.Opens() {
			p.Page.Call("below", "history-menu", `[popovertarget="history-menu"]`)
		}
	})
}

// acts registers the actions on requests.
func (p *panel) acts() {
	id := func(u app.Use) int { return int(u.Int("data-id")) }
	p.OnUse("history-pick", func(u app.Use) { p.pick(id(u)) })
	p.OnUse("history-abort", func(u app.Use) { p.Abort(id(u)) })
	// chosen is the chosen request, if it can still be had as it was.
	chosen := func() *tap.Exchange {
		e := p.Requests.Get(p.selected)
		if e != nil && e.Bodyless {
			p.Toast("The body of this request is no longer kept: newer ones needed the space.")
			return nil
		}
		return e
	}
	request := func(e *tap.Exchange) app.Request {
		return app.Request{Method: e.Method, Path: e.URL, Header: e.Header, Body: e.Body}
	}
	p.OnUse("history-open", func(app.Use) {
		if e := chosen(); e != nil {
			app.Emit(p.Bus, app.Compose{Request: request(e)})
		}
	})
	p.OnUse("history-resend", func(app.Use) {
		if e := chosen(); e != nil {
			p.Send(request(e))
		}
	})
	p.OnUse("history-copy", func(u app.Use) {
		e := chosen()
		if e == nil {
			return
		}
		switch call := history.CallOf(e); u.Attr("data-as") {
		case "curl":
			p.Copy(call.Curl(reachable(p.App)), "as curl")
		case "kubectl":
			p.Copy(call.Kubectl(reachable(p.App)), "as kubectl")
		default:
			p.Copy(call.Fetch(), "as fetch")
		}
	})
	p.OnUse("history-clear", func(app.Use) {
		p.Forget()
		p.Page.Call("closeMenus")
		p.choose(p.selected)
	})
	p.OnUse("history-export", func(app.Use) {
		now := time.Now()
		listed := p.view.Listed()
		b, err := history.HAR(listed, p.Origin(), now)
		if err != nil {
			p.Alert("The export has failed: " + err.Error())
			return
		}
		app.Download(string(b), "application/json", "tabernetes-"+now.Format("20060102-150405")+".har")
		p.Page.Call("closeMenus")
		p.Toast("Exported " + ui.Count(len(listed)) + " requests")
	})
}

// reachable returns the server for copied commands: the one that requests go to, or a devserver if that is the tab.
func reachable(a *app.App) history.Server {
	if a.State().Target == "devserver" {
		return history.Server{Origin: a.Origin()}
	}
	s := history.Server{Origin: devserverOrigin, InTab: true}
	if a.Page.Call("offers", "target", "devserver").Bool() {
		s.Origin = a.Origin() // one has served the page
	}
	return s
}
