//go:build js && wasm

package lab

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/ui"
)

func init() { panels = append(panels, startLevers) }

// controlPlanePath is the object that the levers are.
const controlPlanePath = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default"

func lever(name string) Request {
	return Request{Method: "POST", Path: controlPlanePath + "/" + name, Body: "{}", Origin: "lever", Header: contentType("application/json")}
}

func startLevers(a *App) {
	result := a.Doc.GetElementByID("levers-result")
	say := func(bad bool, s string) {
		a.RenderFunc(result, func() templ.Component { return ui.LeverResult(s, bad) })
		if bad {
			a.Alert(s)
		} else {
			a.Announce(s)
		}
	}
	pull := func(r Request, done string) {
		go func() {
			res, err := a.Fetch(context.Background(), r)
			switch {
			case err != nil:
				say(true, err.Error())
			case res.Status >= 400:
				say(true, strconv.Itoa(res.Status)+" "+http.StatusText(res.Status)+": "+message(res.Body))
			default:
				say(false, done)
			}
		}()
	}
	armed := ""
	a.Action("lever", func(el *dom.Element, _ dom.Event) {
		name := el.GetAttribute("data-lever")
		if question := el.GetAttribute("data-confirm"); question != "" && armed != name {
			// The second press within a few seconds does it.
			armed = name
			title := el.TextContent()
			el.SetTextContent(question)
			a.Announce(question)
			go func() {
				time.Sleep(4 * time.Second)
				armed = ""
				el.SetTextContent(title)
			}()
			return
		}
		armed = ""
		pull(lever(name), map[string]string{
			"compact":    "Compacted: only the present is left.",
			"disconnect": "All watches are cut.",
			"reset":      "The cluster is a fresh one.",
		}[name])
	})
	a.Action("lever-compose", func(el *dom.Element, _ dom.Event) {
		a.page.Call("closeMenus")
		a.Compose(lever(el.GetAttribute("data-lever")))
	})
	retention, bookmark := a.field("lever-retention"), a.field("lever-bookmark")
	a.Action("levers-open", func(_ *dom.Element, ev dom.Event) {
		if ev.Underlying().Get("newState").String() != "open" {
			return
		}
		a.RenderFunc(result, func() templ.Component { return templ.NopComponent })
		go func() {
			res, err := a.Fetch(context.Background(), Request{Method: "GET", Path: controlPlanePath, Quiet: true})
			if err != nil || res.Status != 200 {
				return
			}
			var cp struct {
				Spec struct {
					History struct{ RetentionSeconds int64 }
					Watch   struct{ BookmarkSeconds int64 }

					Compatibility struct{ ResourceVersionMatch string }
				}
			}
			if json.Unmarshal([]byte(res.Body), &cp) == nil {
				retention.set(strconv.FormatInt(cp.Spec.History.RetentionSeconds, 10))
				bookmark.set(strconv.FormatInt(cp.Spec.Watch.BookmarkSeconds, 10))
				for _, in := range a.Doc.QuerySelectorAll("#lever-match input") {
					v := in.Underlying()
					v.Set("checked", v.Get("value").String() == cp.Spec.Compatibility.ResourceVersionMatch)
				}
			}
		}()
	})
	a.Action("lever-settings", func(*dom.Element, dom.Event) {
		r, _ := strconv.ParseInt(retention.value(), 10, 64)
		b, _ := strconv.ParseInt(bookmark.value(), 10, 64)
		if r < 1 || b < 1 {
			say(true, "Both need a number of seconds, 1 or more.")
			return
		}
		body := `{"spec":{"history":{"retentionSeconds":` + strconv.FormatInt(r, 10) + `},"watch":{"bookmarkSeconds":` + strconv.FormatInt(b, 10) + `}}}`
		pull(setting(body), "Set.")
	})
	startCacheLevers(a, pull, say)
	startClockLevers(a, pull, say)
	a.Action("lever-match", func(el *dom.Element, _ dom.Event) {
		match := el.Underlying().Get("value").String()
		done := "resourceVersionMatch is honoured."
		if match == "Ignore" {
			done = "resourceVersionMatch is ignored, as before v1.19."
		}
		pull(setting(`{"spec":{"compatibility":{"resourceVersionMatch":"`+match+`"}}}`), done)
	})
}

// setting changes what the levers are set to.
func setting(body string) Request {
	return Request{Method: "PATCH", Path: controlPlanePath, Body: body, Origin: "lever", Header: contentType("application/merge-patch+json")}
}
