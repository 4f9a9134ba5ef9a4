//go:build js && wasm

package stage

import (
	"context"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/tap"
)

// actions wires the buttons.
func (p *panel) actions() {
	steer := func(name string, f func(el *dom.Element, ev dom.Event)) {
		p.Action(name, func(el *dom.Element, ev dom.Event) {
			f(el, ev)
			p.steered()
		})
	}
	steer("st-zoom", func(el *dom.Element, _ dom.Event) {
		by, _ := strconv.ParseFloat(el.GetAttribute("data-by"), 64)
		p.cam.Zoom(by, p.cam.Width/2, true)
	})
	steer("st-fit", func(*dom.Element, dom.Event) { p.cam.Fit() })
	steer("st-follow", func(*dom.Element, dom.Event) { p.cam.Follow(true) })
	steer("st-live", func(*dom.Element, dom.Event) { p.back() })
	steer("st-first", func(*dom.Element, dom.Event) { p.travelToStart() })
	steer("st-back", func(*dom.Element, dom.Event) { p.travelBy(-1) })
	steer("st-forward", func(*dom.Element, dom.Event) { p.travelBy(1) })
	steer("st-play", func(_ *dom.Element, ev dom.Event) {
		p.play(ev.Underlying().Get("shiftKey").Truthy())
	})
	steer("st-pause", func(*dom.Element, dom.Event) {
		p.paused = !p.paused
		p.scene.Until = 0
		if p.paused {
			p.scene.Until = p.model.Head()
		}
		p.changed = true
		p.renderBar()
	})
	steer("st-select", func(el *dom.Element, _ dom.Event) {
		if rev := app.Int(el, "data-rev"); rev > 0 {
			p.cam.Show(rev)
			p.choose(rev)
		}
	})
	p.Action("st-table", func(*dom.Element, dom.Event) {
		p.tables = !p.tables
		app.Toggle(p.Panel("stage"), "data-tables", p.tables)
		app.Toggle(p.Doc.GetElementByID("st-tables"), "hidden", !p.tables)
		p.renderBar()
		p.renderTables()
	})
	p.Action("st-compare", func(*dom.Element, dom.Event) {
		at := p.scene.At
		p.back()
		p.chooseRange(at, p.model.Head())
	})
	p.Action("st-watch", func(el *dom.Element, _ dom.Event) { p.openForm(el) })
	p.keyboard()

	lane := func(name string, f func(l *timeline.Lane)) {
		p.Action(name, func(el *dom.Element, ev dom.Event) {
			if l := p.model.Lanes.ByID(el.GetAttribute("data-id")); l != nil && !p.meantBefore(ev, l) {
				f(l)
				p.focusHead(l) // the button becomes another one
			}
		})
	}
	for name, act := range map[string]string{
		"st-close": app.CloseLane, "st-resume": app.ResumeLane, "st-relist": app.ListLane,
	} {
		lane(name, func(l *timeline.Lane) { app.Emit(p.Bus, app.LaneAct{Lane: l.ID(), Act: act}) })
	}
	lane("st-again", func(l *timeline.Lane) { p.watch(l.WatchURL(""), l.Pin()...) })
	p.Action("st-drop-lane", func(el *dom.Element, _ dom.Event) {
		p.leave(el.GetAttribute("data-id"))
		p.dropLanes(func(l *timeline.Lane) bool { return l.ID() == el.GetAttribute("data-id") })
	})
	p.Action("st-clear", func(*dom.Element, dom.Event) {
		p.leave("")
		p.dropLanes((*timeline.Lane).Over)
	})

	chain := func(name string, f func(c *timeline.Chain)) {
		p.Action(name, func(el *dom.Element, _ dom.Event) {
			if c := p.model.Chains.ByID(el.GetAttribute("data-id")); c != nil {
				f(c)
			}
		})
	}
	chain("st-next", func(c *timeline.Chain) {
		if !c.Busy {
			p.list(c.NextURL()) // nothing if there is none
		}
	})
	chain("st-restart", func(c *timeline.Chain) { p.list(c.FirstURL()) })
	chain("st-fresh", func(c *timeline.Chain) { p.list(c.FreshURL()) })
	chain("st-drop", func(c *timeline.Chain) {
		p.leave(c.ID())
		p.model.Chains.Drop(func(o *timeline.Chain) bool { return o == c })
		p.lists.Do()
	})
	app.On(p.Bus, p.lessonBegun)
}

// focusHead moves the focus to a lane's head.
func (p *panel) focusHead(l *timeline.Lane) { p.Page.Call("focus", "st-head-"+l.ID()) }

// leave moves the focus from a row that is taken off the stage to the next one, or the one before it; if it is none of
// the rows, to the form that adds a watch.
func (p *panel) leave(id string) {
	rows, to := p.shown(), "st-add"
	for i, r := range rows {
		switch {
		case r.id != id:
		case i+1 < len(rows):
			to = "st-head-" + rows[i+1].id
		case i > 0:
			to = "st-head-" + rows[i-1].id
		}
	}
	p.Page.Call("focus", to)
}

// dropLanes takes lanes off the stage.
func (p *panel) dropLanes(which func(*timeline.Lane) bool) {
	for _, req := range p.model.Lanes.Drop(which) {
		p.Abort(req)
	}
	p.lists.Do()
}

// lessonBegun takes off the stage what other lessons have put there.
func (p *panel) lessonBegun(e app.LessonBegun) {
	if e.ID == p.lesson {
		return
	}
	p.lesson = e.ID
	p.dropLanes(func(l *timeline.Lane) bool { return l.First().Origin == "lesson" })
	p.model.Chains.Drop(func(c *timeline.Chain) bool { return c.Origin == "lesson" })
}

// soon is within which time a click is meant for what was at its place before.
const soon = 600 * time.Millisecond

// meantBefore reports whether a click on a lane's button was meant for what was there before: the lane has just
// changed, and the pointer has not moved since.
func (p *panel) meantBefore(ev dom.Event, l *timeline.Lane) bool {
	changed := l.Began
	if l.Over() {
		changed = l.Ended
	}
	return ev.Underlying().Get("detail").Truthy() && time.Since(changed) < soon && p.pointed.Before(changed)
}

// keyboard wires the keys of the whole page that steer the stage.
func (p *panel) keyboard() {
	steered := func(f func()) func(js.Value) bool {
		return func(js.Value) bool {
			f()
			p.steered()
			return true
		}
	}
	for key, f := range map[string]func(js.Value) bool{
		"ArrowLeft":  steered(func() { p.step(-1) }),
		"ArrowRight": steered(func() { p.step(1) }),
		"+":          steered(func() { p.cam.Zoom(2, p.cam.Width/2, true) }),
		"-":          steered(func() { p.cam.Zoom(0.5, p.cam.Width/2, true) }),
		"0":          steered(p.cam.Fit),
		"l":          steered(p.back),
		"End":        steered(p.back),
		"Home":       steered(p.travelToStart),
		" ": func(ev js.Value) bool {
			if p.scene.At == 0 {
				p.Doc.QuerySelector(`[data-action="st-pause"]`).Underlying().Call("click")
			} else {
				p.play(ev.Get("shiftKey").Bool())
			}
			return true
		},
		"t": func(js.Value) bool {
			p.Doc.QuerySelector(`[data-action="st-table"]`).Underlying().Call("click")
			return true
		},
		"[": func(js.Value) bool { p.goRow(-1); return true },
		"]": func(js.Value) bool { p.goRow(1); return true },
		"Escape": func(js.Value) bool {
			if p.scene.Chosen.Rev == 0 {
				return false
			}
			p.choose(0)
			return true
		},
	} {
		p.Key(key, f)
	}
}

// openForm opens the watch that the last row describes.
func (p *panel) openForm(form *dom.Element) {
	problem := func(text string) {
		p.problem = text
		p.lists.Do()
	}
	t, ok := tap.ParseTarget(strings.TrimSpace(value(form, "[name=path]")))
	switch {
	case !ok:
		problem("Not the path of a collection: /api/v1/namespaces/default/pods is one")
		return
	case t.Name != "":
		problem("A watch is of a collection; for one object add ?fieldSelector=metadata.name=" + t.Name)
		return
	}
	params := []string{"watch", "1", "allowWatchBookmarks", "true"}
	switch value(form, "[name=from]") {
	case "head":
		params = append(params, "resourceVersion", itoa(p.model.Head()))
	case "stream":
		params = append(params, "sendInitialEvents", "true", "resourceVersionMatch", "NotOlderThan")
	case "any":
		params = append(params, "resourceVersion", "0")
	case "selected":
		params = append(params, "resourceVersion", itoa(p.scene.Chosen.Rev))
	}
	problem("")
	var pin []tap.Field
	if n := value(form, "[name=server]"); n != "" {
		pin = []tap.Field{{Name: wellknown.ReplicaHeader, Value: n}}
	}
	p.asked = t.With(params...)
	p.watch(p.asked, pin...)
}

// watch opens a stream. Its events come back through the tap, like anyone's.
func (p *panel) watch(path string, header ...tap.Field) {
	if path == "" {
		return
	}
	go func() {
		var head app.Response
		var body strings.Builder
		err := p.Stream(context.Background(), app.Request{Method: "GET", Path: path, Header: header, Origin: "console"},
			func(r app.Response) {
				head = r
				if path == p.asked { // by the form, which may have the focus: it moves
					p.asked, p.wanted = "", r.Request
				}
			}, func(text string) {
				if head.Status != 200 {
					body.WriteString(text)
				}
			})
		switch {
		case err != nil && head.Status == 0:
			p.refused("The watch could not be opened: " + err.Error())
		case head.Status != 200 && head.Status != 0:
			p.refusedBy("The watch was refused", head.Status, body.String())
		}
	}()
}

// resumeLost has the clients whose watches ended with the connection to the room go on from where they were.
func (p *panel) resumeLost(e app.RoomBack) {
	const before = 10 * time.Second // a watch may have noticed it earlier
	for _, l := range p.model.Lanes.List {
		if l.Code != 0 || l.Ending != timeline.Broken && l.Ending != timeline.Served || l.Ended.Before(e.Lost.Add(-before)) {
			continue
		}
		url := l.ResumeURL()
		if url == "" {
			url = l.WatchURL(itoa(l.EndHead))
		}
		p.watch(url, l.Pin()...)
	}
}

// relist makes the list that a lane's end asks for, and watches from its version.
func (p *panel) relist(l *timeline.Lane) {
	path, pin := l.ListURL(), l.Pin()
	go func() {
		r, err := p.Fetch(context.Background(), app.Request{Method: "GET", Path: path, Header: pin, Origin: "console"})
		if err != nil {
			p.refused("The list could not be fetched: " + err.Error())
			return
		}
		list, err := tap.ParseList(r.Body)
		if r.Status != 200 || err != nil || list.Rev == 0 {
			p.refusedBy("The list was refused", r.Status, r.Body)
			return
		}
		p.watch(l.WatchURL(itoa(list.Rev)), pin...)
	}()
}

// list fetches a page and shows its answer.
func (p *panel) list(path string) {
	if path != "" {
		p.Send(app.Request{Method: "GET", Path: path})
	}
}

// refusedBy says what a Status says.
func (p *panel) refusedBy(what string, status int, body string) {
	a, _ := tap.ParseList(body)
	text := what + ": " + strconv.Itoa(status)
	if a.Message != "" {
		text += ", " + a.Message
	}
	p.refused(text)
}

func (p *panel) refused(text string) {
	p.Alert(text)
	p.problem = text
	p.lists.Do()
}

// renderBar brings the bar above the stage up to date.
func (p *panel) renderBar() {
	p.RenderFunc(p.Doc.GetElementByID("st-bar"), func() templ.Component {
		v := BarView{
			Following: p.cam.Following(), Paused: p.paused, Table: p.tables, Playing: p.travel.playing,
			At: p.scene.At, Head: p.model.Head(), Bin: p.layout.bin,
			Known: p.model.State.Cluster != "",
		}
		if p.paused {
			v.Waiting = p.model.Head() - p.scene.Until
		}
		p.levers.fill(&v, p)
		return Bar(v)
	})
}
