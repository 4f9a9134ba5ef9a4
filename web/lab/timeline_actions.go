//go:build js && wasm

package lab

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/revisions/scan"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/timeline"
)

// controlPlane is the levers' object.
const controlPlane = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default"

// actions wires the buttons.
func (p *timelinePanel) actions() {
	a := p.app
	steer := func(name string, f func(el *dom.Element)) {
		a.Action(name, func(el *dom.Element, _ dom.Event) {
			f(el)
			p.steered()
		})
	}
	steer("tl-zoom", func(el *dom.Element) {
		by, _ := strconv.ParseFloat(el.GetAttribute("data-by"), 64)
		p.cam.Zoom(by, p.cam.Width/2, true)
	})
	steer("tl-fit", func(*dom.Element) { p.cam.Fit() })
	steer("tl-follow", func(*dom.Element) { p.cam.Follow(!p.cam.Following()) })
	steer("tl-pause", func(*dom.Element) {
		p.paused = !p.paused
		p.scene.Until = 0
		if p.paused {
			p.scene.Until = p.model.Head()
		}
		p.redraw, p.moved = true, true
		p.renderTools()
	})
	steer("tl-select", func(el *dom.Element) {
		if rev, err := strconv.ParseInt(el.GetAttribute("data-rev"), 10, 64); err == nil && rev > 0 {
			p.scene.Selected = 0
			p.selectRev(rev)
			p.cam.Show(rev)
		}
	})
	a.Action("tl-table", func(el *dom.Element, _ dom.Event) {
		id := el.GetAttribute("data-table")
		shown := !p.opened[id]
		if p.opened[id] = shown; !shown {
			delete(p.opened, id)
		}
		box := a.Doc.GetElementByID(id)
		box.Underlying().Set("hidden", !shown)
		el.SetAttribute("aria-pressed", strconv.FormatBool(shown))
		p.renderTables()
	})

	a.Action("tl-open", func(el *dom.Element, _ dom.Event) { p.openForm(el) })
	lane := func(name string, f func(l *timeline.Lane)) {
		a.Action(name, func(el *dom.Element, _ dom.Event) {
			if l := p.model.Lanes.ByID(el.GetAttribute("data-id")); l != nil {
				f(l)
			}
		})
	}
	lane("tl-close", func(l *timeline.Lane) {
		a.Abort(l.Req)
	})
	lane("tl-resume", func(l *timeline.Lane) { p.watch(l.ResumeURL(), l.Pin()...) })
	lane("tl-again", func(l *timeline.Lane) { p.watch(l.WatchURL(""), l.Pin()...) })
	lane("tl-relist", p.relist)
	a.Action("tl-clear", func(*dom.Element, dom.Event) {
		p.model.Lanes.Clear()
		for req := range p.lanes {
			if p.model.Lanes.Get(req) == nil {
				delete(p.lanes, req)
			}
		}
		p.lists.later()
	})

	chain := func(name string, f func(c *timeline.Chain)) {
		a.Action(name, func(el *dom.Element, _ dom.Event) {
			if c := p.model.Chains.ByID(el.GetAttribute("data-id")); c != nil {
				f(c)
			}
		})
	}
	chain("tl-next", func(c *timeline.Chain) {
		if !c.Busy {
			p.list(c.NextURL())
		}
	})
	chain("tl-restart", func(c *timeline.Chain) { p.list(c.FirstURL()) })
	chain("tl-fresh", func(c *timeline.Chain) { p.list(c.FreshURL()) })
	chain("tl-drop", func(c *timeline.Chain) {
		p.model.Chains.Drop(c.ID())
		delete(p.chains, c)
		p.lists.later()
	})
	a.Action("tl-page", func(el *dom.Element, _ dom.Event) { p.list(el.GetAttribute("data-path")) })
}

// openForm opens the watch that the form above the lanes describes.
func (p *timelinePanel) openForm(form *dom.Element) {
	value := func(sel string) string { return form.QuerySelector(sel).Underlying().Get("value").String() }
	problem := func(text string) { form.QuerySelector(".tl-problem").SetTextContent(text) }
	t, ok := timeline.ParseTarget(strings.TrimSpace(value("[name=path]")))
	switch {
	case !ok:
		problem("Not the path of a collection")
		return
	case t.Name != "":
		problem("A watch is of a collection; for one object add ?fieldSelector=metadata.name=" + t.Name)
		return
	}
	params := []string{"watch", "1", "allowWatchBookmarks", "true"}
	switch value("[name=from]") {
	case "stream":
		params = append(params, "sendInitialEvents", "true", "resourceVersionMatch", "NotOlderThan")
	case "any":
		params = append(params, "resourceVersion", "0")
	case "selected":
		if p.scene.Selected == 0 {
			problem("Select a revision on the ruler first")
			return
		}
		params = append(params, "resourceVersion", strconv.FormatInt(p.scene.Selected, 10))
	}
	problem("")
	p.watch(t.With(params...), p.asked.pin()...)
}

// watch opens a stream. Its events come back through the tap, like anyone's.
func (p *timelinePanel) watch(path string, header ...tap.Field) {
	if path == "" {
		return
	}
	go func() {
		var head Response
		var body strings.Builder
		err := p.app.Stream(context.Background(), Request{Method: "GET", Path: path, Header: header, Origin: "console"}, func(r Response) {
			head = r
		}, func(text string) {
			if head.Status != 200 {
				body.WriteString(text)
			}
		})
		switch {
		case err != nil && head.Status == 0:
			p.app.Alert("The watch could not be opened: " + err.Error())
		case head.Status != 200 && head.Status != 0:
			p.refused("The watch was refused", head.Status, body.String())
		}
	}()
}

// relist makes the list that a lane's end asks for, and watches from its version.
func (p *timelinePanel) relist(l *timeline.Lane) {
	path, pin := l.ListURL(), l.Pin()
	go func() {
		r, err := p.app.Fetch(context.Background(), Request{Method: "GET", Path: path, Header: pin, Origin: "console"})
		if err != nil {
			p.app.Alert("The list could not be fetched: " + err.Error())
			return
		}
		list, err := timeline.ParseList(r.Body)
		if r.Status != 200 || err != nil || list.Rev == 0 {
			p.refused("The list was refused", r.Status, r.Body)
			return
		}
		p.watch(l.WatchURL(strconv.FormatInt(list.Rev, 10)), pin...)
	}()
}

// list fetches a page. It comes back through the tap.
func (p *timelinePanel) list(path string) {
	if path == "" {
		return
	}
	go func() {
		r, err := p.app.Fetch(context.Background(), Request{Method: "GET", Path: path, Origin: "console"})
		switch {
		case err != nil:
			p.app.Alert("The page could not be fetched: " + err.Error())
		case r.Status != 200 && r.Status != 410:
			p.refused("The list was refused", r.Status, r.Body)
		}
	}()
}

// refused says what a Status says.
func (p *timelinePanel) refused(what string, status int, body string) {
	a, _ := timeline.ParseList(body)
	text := what + ": " + strconv.Itoa(status)
	if a.Message != "" {
		text += ", " + a.Message
	}
	p.app.Alert(text)
	p.app.Doc.GetElementByID("tl-open-problem").SetTextContent(text)
}

// readRetention learns how long history is kept.
func (p *timelinePanel) readRetention() {
	r, err := p.app.Fetch(context.Background(), Request{Method: "GET", Path: controlPlane, Quiet: true})
	if err != nil || r.Status != 200 {
		return
	}
	c := scan.New(r.Body)
	within := func(name string, f func() error) func(string) error {
		return func(key string) error {
			if key == name {
				return f()
			}
			return c.Skip()
		}
	}
	var seconds int64
	err = c.Object(within("spec", func() error {
		return c.Object(within("history", func() error {
			return c.Object(within("retentionSeconds", func() (err error) {
				seconds, err = c.Int()
				return err
			}))
		}))
	}))
	if err == nil {
		p.model.Retention = time.Duration(seconds) * time.Second
		p.lists.later()
	}
}
