package stage

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/tap"
)

// actions wires the buttons.
func (p *panel) actions() {
	steer := func(name string, f func(u app.Use)) {
		p.OnUse(name, func(u app.Use) {
			f(u)
			p.steered()
		})
	}
	steer("st-zoom", func(u app.Use) {
		by, _ := strconv.ParseFloat(u.Attr("data-by"), 64)
		p.cam.Zoom(by, p.cam.Width/2, true)
	})
	steer("st-fit", func(app.Use) { p.cam.Fit() })
	steer("st-follow", func(app.Use) { p.cam.Follow(true) })
	steer("st-live", func(app.Use) { p.back() })
	steer("st-first", func(app.Use) { p.travelToStart() })
	steer("st-back", func(app.Use) { p.travelBy(-1) })
	steer("st-forward", func(app.Use) { p.travelBy(1) })
	steer("st-play", func(u app.Use) {
		p.play(u.Press().Shift)
	})
	steer("st-pause", func(app.Use) {
		p.paused = !p.paused
		p.scene.Until = 0
		if p.paused {
			p.scene.Until = p.model.Head()
		}
		p.changed = true
		p.renderBar()
	})
	steer("st-select", func(u app.Use) {
		if rev := u.Int("data-rev"); rev > 0 {
			p.cam.Show(rev)
			p.choose(rev)
		}
	})
	p.OnUse("st-table", func(app.Use) {
		p.tables = !p.tables
		p.Mark("panel-stage", "data-tables", p.tables)
		p.Mark("st-tables", "hidden", !p.tables)
		p.renderBar()
		p.renderTables()
	})
	p.OnUse("st-compare", func(app.Use) {
		at := p.scene.At
		p.back()
		p.chooseRange(at, p.model.Head())
	})
	p.OnUse("st-parts", func(u app.Use) {
		name := u.Attr("data-id")
		p.parts[name] = !p.parts[name]
		if p.opens = ""; p.parts[name] {
			p.opens = name
		}
		p.lists.Do()
		p.book()
	})
	p.OnUse("st-held", func(u app.Use) { p.hold(strings.Fields(u.Attr("data-names"))) })
	p.OnUse("st-watch", func(u app.Use) { p.openForm(u) })
	p.keyboard()

	lane := func(name string, f func(l *timeline.Lane)) {
		p.OnUse(name, func(u app.Use) {
			if l := p.model.Lanes.ByID(u.Attr("data-id")); l != nil && !p.meantBefore(u, l) {
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
	p.OnUse("st-drop-lane", func(u app.Use) {
		p.leave(u.Attr("data-id"))
		p.dropLanes(func(l *timeline.Lane) bool { return l.ID() == u.Attr("data-id") })
	})
	p.OnUse("st-clear", func(app.Use) {
		p.leave("")
		p.dropLanes((*timeline.Lane).Over)
	})

	chain := func(name string, f func(c *timeline.Chain)) {
		p.OnUse(name, func(u app.Use) {
			if c := p.model.Chains.ByID(u.Attr("data-id")); c != nil {
				f(c)
			}
		})
	}
	chain("st-next", func(c *timeline.Chain) {
		if !c.Busy {
			p.list(c.NextURL()) // does nothing after the last page
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

// leave moves the focus from a row that is taken off the stage to the next row, or to the one before it. If the stage
// has no other row, it moves the focus to the form that adds a watch.
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
func (p *panel) meantBefore(u app.Use, l *timeline.Lane) bool {
	changed := l.Began
	if l.Over() {
		changed = l.Ended
	}
	return u.Clicks() > 0 && time.Since(changed) < soon && p.pointed.Before(changed)
}

// keyboard wires the keys of the whole page that steer the stage.
func (p *panel) keyboard() {
	steered := func(f func()) func(app.Press) bool {
		return func(app.Press) bool {
			f()
			p.steered()
			return true
		}
	}
	for key, f := range map[string]func(app.Press) bool{
		"ArrowLeft":  steered(func() { p.step(-1) }),
		"ArrowRight": steered(func() { p.step(1) }),
		"+":          steered(func() { p.cam.Zoom(2, p.cam.Width/2, true) }),
		"-":          steered(func() { p.cam.Zoom(0.5, p.cam.Width/2, true) }),
		"0":          steered(p.cam.Fit),
		"l":          steered(p.back),
		"End":        steered(p.back),
		"Home":       steered(p.travelToStart),
		" ": func(k app.Press) bool {
			if p.scene.At == 0 {
				p.Click(`[data-action="st-pause"]`)
			} else {
				p.play(k.Shift)
			}
			return true
		},
		"t": func(app.Press) bool {
			p.Click(`[data-action="st-table"]`)
			return true
		},
		"[": func(app.Press) bool { p.goRow(-1); return true },
		"]": func(app.Press) bool { p.goRow(1); return true },
		"Escape": func(app.Press) bool {
			if p.scene.Chosen.Rev == 0 {
				return false
			}
			p.choose(0)
			return true
		},
	} {
		p.OnKey(key, f)
	}
}

// openForm opens the watch that the last row describes.
func (p *panel) openForm(form app.Use) {
	problem := func(text string) {
		p.problem = text
		p.lists.Do()
	}
	t, ok := tap.ParseTarget(strings.TrimSpace(form.In("path")))
	switch {
	case !ok:
		problem("Not the path of a collection: /api/v1/namespaces/default/pods is one")
		return
	case t.Name != "":
		problem("A watch is of a collection; for one object add ?fieldSelector=metadata.name=" + t.Name)
		return
	}
	params := []string{"watch", "1", "allowWatchBookmarks", "true"}
	switch form.In("from") {
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
	if n := form.In("server"); n != "" {
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

// resumeLost resumes the watches that ended with the connection to the room, from the versions where they ended.
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
func (p *panel) renderBar() { p.Draw("st-bar", p.bar) }

func (p *panel) bar() templ.Component {
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
}
