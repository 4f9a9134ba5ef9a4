//go:build js && wasm

package requests

import (
	"strconv"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/ui"
)

// devserverOrigin is where a devserver listens unless it is told otherwise.
const devserverOrigin = "http://127.0.0.1:8080"

// filters registers the actions that filter and sort the rows.
func (p *panel) filters() {
	value := func(el *dom.Element) string { return el.Underlying().Get("value").String() }
	filter := func(change func(f *history.Filter)) {
		f := p.view.Filter()
		change(&f)
		p.view.SetFilter(f)
		p.seen.ToTop()
		p.draw()
	}
	p.Action("history-kind", func(el *dom.Element, _ dom.Event) {
		filter(func(f *history.Filter) { f.Kind = history.Kind(value(el)) })
	})
	p.Action("history-origin", func(el *dom.Element, _ dom.Event) {
		filter(func(f *history.Filter) { f.Origin = value(el) })
	})
	p.Action("history-search", func(el *dom.Element, _ dom.Event) {
		filter(func(f *history.Filter) { f.Text = value(el) })
	})
	p.Action("history-all", func(*dom.Element, dom.Event) {
		filter(func(f *history.Filter) { *f = history.Filter{Place: f.Place} })
		for _, id := range []string{"history-search", "history-origin"} {
			p.Field(id).Set("")
		}
		all := p.Doc.QuerySelector(`[name="history-kind"][value=""]`)
		all.Underlying().Set("checked", true)
		p.Field("history-search").Focus()
	})
	sorted := func(o history.Order) {
		p.view.SetOrder(o)
		p.Field("history-by").Set(string(o.Column()))
		p.seen.ToTop()
		p.draw()
	}
	p.Action("history-sort", func(el *dom.Element, _ dom.Event) {
		o := p.view.Order().Next(history.Column(el.GetAttribute("data-by")))
		sorted(o)
		way := "descending"
		if o.Ascending {
			way = "ascending"
		}
		p.Announce("Sorted by " + string(o.Column()) + ", " + way)
	})
	p.Action("history-by", func(el *dom.Element, _ dom.Event) {
		if by := history.Column(value(el)); by != p.view.Order().Column() {
			sorted(p.view.Order().Next(by))
		}
	})
	p.Action("history-fold", func(el *dom.Element, _ dom.Event) {
		run, _ := strconv.Atoi(el.GetAttribute("data-run"))
		p.view.Fold(run, el.GetAttribute("aria-expanded") != "true")
		p.draw()
	})
	p.Action("history-scroll", func(*dom.Element, dom.Event) {
		p.seen.Measure()
		p.draw()
	})
	p.Action("history-menu", func(el *dom.Element, ev dom.Event) {
		if ev.Underlying().Get("newState").String() == "open" {
			below(el, p.Doc.QuerySelector(`[popovertarget="history-menu"]`))
		}
	})
}

// acts registers the actions on requests.
func (p *panel) acts() {
	id := func(el *dom.Element) int {
		n, _ := strconv.Atoi(el.GetAttribute("data-id"))
		return n
	}
	p.Action("history-pick", func(el *dom.Element, _ dom.Event) { p.pick(id(el)) })
	p.Action("history-abort", func(el *dom.Element, _ dom.Event) { p.Abort(id(el)) })
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
	p.Action("history-open", func(*dom.Element, dom.Event) {
		if e := chosen(); e != nil {
			app.Emit(p.Bus, app.Compose{Request: request(e)})
		}
	})
	p.Action("history-resend", func(*dom.Element, dom.Event) {
		if e := chosen(); e != nil {
			p.Send(request(e))
		}
	})
	p.Action("history-copy", func(el *dom.Element, _ dom.Event) {
		e := chosen()
		if e == nil {
			return
		}
		switch call := history.CallOf(e); el.GetAttribute("data-as") {
		case "curl":
			p.Copy(call.Curl(reachable(p.App)), "as curl")
		case "kubectl":
			p.Copy(call.Kubectl(reachable(p.App)), "as kubectl")
		default:
			p.Copy(call.Fetch(), "as fetch")
		}
	})
	p.Action("history-clear", func(*dom.Element, dom.Event) {
		p.Requests.Drop(func(x *tap.Exchange) bool { return x.Place == p.State().Place })
		js.Global().Get("tabernetes").Call("forget", p.State().Place)
		p.Page.Call("closeMenus")
		p.choose(p.selected)
	})
	p.Action("history-export", func(*dom.Element, dom.Event) {
		now := time.Now()
		listed := p.view.Listed()
		b, err := history.HAR(listed, dom.Origin(), now)
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
		return history.Server{Origin: dom.Origin()}
	}
	s := history.Server{Origin: devserverOrigin, InTab: true}
	if a.Doc.QuerySelector(`[name="target"][value="devserver"]`) != nil {
		s.Origin = dom.Origin() // one has served the page
	}
	return s
}

// below places an open menu under the button that opened it.
func below(menu, button *dom.Element) {
	at := button.Underlying().Call("getBoundingClientRect")
	wide := js.Global().Get("innerWidth").Float()
	high := js.Global().Get("innerHeight").Float()
	style := menu.Underlying().Get("style")
	px := func(n float64) string { return strconv.Itoa(int(max(8, n))) + "px" }
	style.Set("right", px(wide-at.Get("right").Float()))
	// Above it, where there is more space.
	if at.Get("top").Float() > high/2 {
		style.Set("top", "auto")
		style.Set("bottom", px(high-at.Get("top").Float()))
	} else {
		style.Set("bottom", "auto")
		style.Set("top", px(at.Get("bottom").Float()))
	}
}
