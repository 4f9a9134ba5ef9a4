//go:build js && wasm

package levers

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
)

func init() { Start = start }

func lever(name string) app.Request {
	return app.Request{
		Method: "POST", Path: wellknown.ControlPlane + "/" + name, Body: "{}", Origin: "lever",
		Header: app.ContentType("application/json"),
	}
}

// bodyOf returns the body of the request that a button of a lever makes.
func bodyOf(el *dom.Element) string {
	if body := el.GetAttribute("data-body"); body != "" {
		return body
	}
	return "{}"
}

// request returns the request that a button of a lever makes.
func request(el *dom.Element) app.Request {
	r := lever(el.GetAttribute("data-lever"))
	r.Body = bodyOf(el)
	return r
}

func start(a *app.App) {
	result := a.Doc.GetElementByID("levers-result")
	var say sayer = func(bad bool, s string) {
		a.RenderFunc(result, func() templ.Component { return Result(s, bad) })
		if bad {
			a.Toast(s)
			a.Alert(s)
		} else {
			a.Toast(s)
		}
	}
	watches := map[int]bool{}
	app.On(a.Bus, func(e app.EntryChanged) {
		if open := e.Info.Verb == "watch" && e.Live(); open {
			watches[e.ID] = true
		} else {
			delete(watches, e.ID)
		}
	})
	u := startUndo(a, say, func() int { return len(watches) })
	startFork(a, say)
	// pull makes a lever's request; act one that a snapshot can undo; set one that
	// changes settings, which back sets back.
	pull := func(r app.Request, done string) {
		go func() {
			res, err := a.Fetch(context.Background(), r)
			if problem := failed(res, err); problem != "" {
				say(true, problem)
				return
			}
			say(false, done)
		}()
	}
	act := func(r app.Request, done, label string) {
		go func() {
			snapshot, problem := takeSnapshot(a, wellknown.ControlPlane+"/snapshot")
			res, err := a.Fetch(context.Background(), r)
			if failed := failed(res, err); failed != "" {
				a.Page.Call("dropSnapshot", snapshot)
				say(true, failed)
				return
			}
			say(false, done)
			if problem == "" {
				u.act(label, snapshot, a.Seen.Head)
			}
		}()
	}
	set := func(body, back, done, label string) {
		go func() {
			res, err := a.Fetch(context.Background(), setting(body))
			if problem := failed(res, err); problem != "" {
				say(true, problem)
				return
			}
			say(false, done)
			u.setting(label, back)
		}()
	}
	app.On(a.Bus, func(e app.RunAct) {
		r := lever(e.Name)
		if e.Body != "" {
			r.Body = e.Body
		}
		act(r, e.Done, strings.ToLower(strings.TrimSuffix(e.Done, ".")))
	})
	app.On(a.Bus, func(e app.ChangeSetting) { set(e.Patch, e.Back, e.Done, e.Label) })
	armed := ""
	press := 0
	a.Action("lever", func(el *dom.Element, _ dom.Event) {
		name := el.GetAttribute("data-lever")
		if question := el.GetAttribute("data-confirm"); question != "" && armed != name {
			// The second press within a few seconds does it.
			armed = name
			press++
			mine, title := press, el.TextContent()
			el.SetTextContent(question)
			a.Announce(question)
			el.SetAttribute("data-title", title)
			time.AfterFunc(4*time.Second, func() {
				if press == mine {
					armed = ""
					el.SetTextContent(title)
				}
			})
			return
		}
		if armed != "" {
			armed = ""
			press++
			el.SetTextContent(el.GetAttribute("data-title"))
		}
		one := actOf(name, bodyOf(el))
		switch {
		case name == "compact":
			if a.Page.Call("menuIsOpen", "panel-compact").Bool() {
				a.Page.Call("closeMenus") // what it does is on the stage
			}
			act(request(el), one.done, one.undo+strconv.FormatInt(a.Seen.Head, 10))
		case one.undo != "":
			act(request(el), one.done, one.undo)
		default:
			pull(request(el), one.done)
		}
	})
	a.Action("lever-compose", func(el *dom.Element, _ dom.Event) {
		a.Page.Call("closeMenus")
		app.Emit(a.Bus, app.Compose{Request: request(el)})
	})
	buffersOpened := startBuffers(a, set, pull, say)
	type settings struct {
		retention, bookmark int64
		match               string
	}
	var was settings
	retention, bookmark := a.Field("lever-retention"), a.Field("lever-bookmark")
	a.Action("menu", func(el *dom.Element, ev dom.Event) {
		switch {
		case ev.Underlying().Get("newState").String() != "open":
			return
		case el.ID() == "panel-buffers":
			buffersOpened()
			return
		case el.ID() != "panel-levers":
			return
		}
		a.RenderFunc(result, func() templ.Component { return templ.NopComponent })
		go func() {
			res, err := a.Fetch(context.Background(), app.Request{Method: "GET", Path: wellknown.ControlPlane, Quiet: true})
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
				was = settings{cp.Spec.History.RetentionSeconds, cp.Spec.Watch.BookmarkSeconds,
					cp.Spec.Compatibility.ResourceVersionMatch}
				retention.Set(strconv.FormatInt(cp.Spec.History.RetentionSeconds, 10))
				bookmark.Set(strconv.FormatInt(cp.Spec.Watch.BookmarkSeconds, 10))
				for _, in := range a.Doc.QuerySelectorAll("#lever-match input") {
					v := in.Underlying()
					v.Set("checked", v.Get("value").String() == cp.Spec.Compatibility.ResourceVersionMatch)
				}
			}
		}()
	})
	a.Action("lever-settings", func(*dom.Element, dom.Event) {
		r, _ := strconv.ParseInt(retention.Value(), 10, 64)
		b, _ := strconv.ParseInt(bookmark.Value(), 10, 64)
		if r < 1 || b < 1 {
			say(true, "Both need a number of seconds, 1 or more.")
			return
		}
		body := func(r, b int64) string {
			return `{"spec":{"history":{"retentionSeconds":` + strconv.FormatInt(r, 10) + `},"watch":{"bookmarkSeconds":` +
				strconv.FormatInt(b, 10) + `}}}`
		}
		set(body(r, b), body(was.retention, was.bookmark), "Set.", "history and bookmarks")
		was.retention, was.bookmark = r, b
	})
	startCacheLevers(a, set, say)
	startClockLevers(a, set, act, say)
	startChaos(a, set, say)
	a.Action("lever-match", func(el *dom.Element, _ dom.Event) {
		match := el.Underlying().Get("value").String()
		done := "resourceVersionMatch is honoured."
		if match == "Ignore" {
			done = "resourceVersionMatch is ignored, as before v1.19."
		}
		body := func(match string) string {
			return `{"spec":{"compatibility":{"resourceVersionMatch":"` + match + `"}}}`
		}
		set(body(match), body(was.match), done, "resourceVersionMatch "+match)
		was.match = match
	})
}

// setting changes what the levers are set to.
func setting(body string) app.Request {
	return app.Request{
		Method: "PATCH", Path: wellknown.ControlPlane, Body: body, Origin: "lever",
		Header: app.ContentType("application/merge-patch+json"),
	}
}

// failed returns why a lever's request failed; empty if it did not.
func failed(res app.Response, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case res.Status >= 400:
		return strconv.Itoa(res.Status) + " " + http.StatusText(res.Status) + ": " + app.Message(res.Body)
	}
	return ""
}
