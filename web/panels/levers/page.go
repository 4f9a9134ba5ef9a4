package levers

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
)

func lever(name string) app.Request {
	return app.Request{
		Method: "POST", Path: wellknown.ControlPlane + "/" + name, Body: "{}", Origin: "lever",
		Header: app.ContentType("application/json"),
	}
}

// bodyOf returns the body of the request that a button of a lever makes.
func bodyOf(u app.Use) string {
	if body := u.Attr("data-body"); body != "" {
		return body
	}
	return "{}"
}

// request returns the request that a button of a lever makes.
func request(u app.Use) app.Request {
	r := lever(u.Attr("data-lever"))
	r.Body = bodyOf(u)
	return r
}

// Start runs the panel.
func Start(a *app.App) { start(a) }

func start(a *app.App) *undo {
	var say sayer = func(bad bool, s string) {
		a.Draw("levers-result", func() templ.Component { return Result(s, bad) })
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
	undo := startUndo(a, say, func() int { return len(watches) })
	startFork(a, say)
	// run carries an act out, after a snapshot if that can undo it. set changes settings, which back sets back.
	run := func(e app.RunAct) {
		r := lever(e.Act.Name)
		r.Body = e.Act.Body(e.Parameters)
		label := e.Act.SaysUndo(cmp.Or(e.Value, strconv.FormatInt(a.Seen.Head, 10)))
		go func() {
			snapshot, problem := 0, ""
			if label != "" {
				snapshot, problem = takeSnapshot(a, wellknown.ControlPlane+"/snapshot")
			}
			res, err := a.Fetch(context.Background(), r)
			if failed := failed(res, err); failed != "" {
				if label != "" {
					a.Page.Call("dropSnapshot", snapshot)
				}
				say(true, failed)
				return
			}
			say(false, e.Act.SaysDone(e.Value))
			if label != "" && problem == "" {
				undo.act(label, snapshot, a.Seen.Head)
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
			undo.setting(label, back)
		}()
	}
	app.On(a.Bus, run)
	app.On(a.Bus, func(e app.ChangeSetting) { set(e.Patch, e.Back, e.Done, e.Label) })
	armed := ""
	press := 0
	a.OnUse("lever", func(u app.Use) {
		name := u.Attr("data-lever")
		if question := u.Attr("data-confirm"); question != "" && armed != name {
			// The second press within a few seconds does it.
			armed = name
			press++
			mine, title := press, u.Content()
			u.SetContent(question)
			a.Announce(question)
			u.Set("data-title", title)
			time.AfterFunc(4*time.Second, func() {
				if press == mine {
					armed = ""
					u.SetContent(title)
				}
			})
			return
		}
		if armed != "" {
			armed = ""
			press++
			u.SetContent(u.Attr("data-title"))
		}
		one, _ := settings.ActOf(name, bodyOf(u))
		if one.Menu == settings.CompactMenu && a.Page.Call("menuIsOpen", "panel-compact").Bool() {
			a.Page.Call("closeMenus") // what it does is on the stage
		}
		run(app.RunAct{Act: one})
	})
	a.OnUse("lever-compose", func(u app.Use) {
		a.Page.Call("closeMenus")
		app.Emit(a.Bus, app.Compose{Request: request(u)})
	})
	buffersOpened := startBuffers(a, run)
	spec := startForms(a, set, say)
	a.OnUse("menu", func(u app.Use) {
		switch {
		case !u.Opens():
		case u.ID() == "panel-buffers":
			buffersOpened()
			spec()
		case u.ID() == "panel-levers":
			a.Draw("levers-result", func() templ.Component { return templ.NopComponent })
			spec()
		}
	})
	startCacheLevers(a, set, say)
	startClockLevers(a, set, run, say)
	startChaos(a, set, say)
	return undo
}

// startForms wires the forms of settings. It returns what fills in the values of the cluster.
func startForms(a *app.App, set setter, say sayer) (fill func()) {
	var spec map[string]any
	change := func(rows []settings.Setting, to settings.Values, done, label string) {
		set(settings.Patch(to), settings.Patch(valuesOf(rows, spec)), done, label)
		for path, v := range to {
			settings.Put(spec, path, v)
		}
	}
	a.OnUse("lever-settings", func(u app.Use) {
		for _, f := range forms {
			if f.name != u.Attr("data-form") || spec == nil {
				continue
			}
			rows := settings.In(f.name)
			values, done, problem := entered(rows, func(path string) string { return a.Field(fieldOf(path)).Value() })
			if problem != "" {
				say(true, problem)
				return
			}
			change(rows, values, done, f.undo)
		}
	})
	a.OnUse("lever-choice", func(u app.Use) {
		value := u.Value()
		for _, n := range chosen {
			for _, w := range n.Words {
				if u.Attr("name") == fieldOf(n.Path) && w.Value == value && spec != nil {
					label := n.name + " " + value
					change([]settings.Setting{n.Setting}, settings.Values{n.Path: value}, label+": "+w.Says+".", label)
				}
			}
		}
	})
	return func() {
		go func() {
			res, err := a.Fetch(context.Background(), app.Request{Method: "GET", Path: wellknown.ControlPlane, Quiet: true})
			if err != nil || res.Status != 200 {
				return
			}
			if spec = specOf(res.Body); spec == nil {
				return
			}
			for _, f := range forms {
				for _, s := range settings.In(f.name) {
					v, ok := settings.At(spec, s.Path)
					if !ok {
						v = s.Default
					}
					a.Field(fieldOf(s.Path)).Set(fmt.Sprint(v))
				}
			}
			for _, n := range chosen {
				value, ok := settings.At(spec, n.Path)
				if !ok {
					value = n.Default
				}
				a.Page.Call("check", fieldOf(n.Path), value)
			}
		}()
	}
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
