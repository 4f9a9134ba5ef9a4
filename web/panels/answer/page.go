package answer

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/panels/answer/verdict"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/ui"
)

const (
	// firstLines are shown of a long body until more is asked for.
	firstLines = 1000
	// headLines of it are laid out in the frame that shows it, the others in the background.
	headLines = 300
	// shownEvents are drawn of a stream: the newest.
	shownEvents = 200
)

// response is the response panel: the answer of one request of the history.
type response struct {
	*app.App
	id       int
	await    *app.Request // the request whose tap event is due
	part     string
	format   string // chosen for bodies: "table" is JSON for all that is no Table; streams begin as events
	limit    int
	unfolded bool          // managedFields are shown in full
	still    bool          // the body does not follow its end: something in it was opened
	applied  []app.Applied // instead of an answer: a manifest being applied
	apply    bool

	held  *tap.Exchange // what is shown
	laid  laid
	read  *tap.Exchange // a list that is being read
	judge func()        // says again what the newest answer means

	// The body as a Table, for one state of one entry.
	grid struct {
		id, changed int
		grid        *text.Grid
	}
	opened map[int]bool // events of the stream that is shown whose object is shown, by their numbers
	change change
}

// Start runs the panel.
func Start(a *app.App) { start(a) }

func start(a *app.App) *response {
	r := &response{App: a, part: "body", format: "table", limit: firstLines, opened: map[int]bool{}}
	r.startChange()
	app.On(a.Bus, func(e app.Requesting) { r.await = &e.Request })
	place, away := a.State().Place, map[string]int{} // what was shown of other clusters
	app.On(a.Bus, func(s app.State) {
		if s.Place == place {
			return
		}
		shown := r.id
		if e := r.Requests.Get(shown); e == nil || e.Place != s.Place { // a request of there brought one back otherwise
			away[place], shown = shown, away[s.Place]
		}
		place = s.Place
		r.change.shown = false
		r.show(shown)
	})
	app.On(a.Bus, func(e app.Selected) {
		if e.Request != 0 && e.From != "answer" && e.From != "stage" {
			r.show(e.Request)
		}
	})
	app.On(a.Bus, func(e app.Applying) {
		r.apply, r.applied, r.await = true, e.Rows, nil
		r.change.shown = false
		r.draw()
	})
	app.On(a.Bus, func(e app.EntryChanged) {
		if ev := e.Event; ev.Type == tap.Request && r.await != nil && ev.Origin == r.await.Origin &&
			ev.Method == r.await.Method && ev.URL == r.await.Path {
			r.await = nil
			r.show(e.ID)
			a.Select(app.Selection{Request: e.ID}, "answer")
		}
		if e.ID == r.id && !r.apply && !r.change.shown {
			r.still = false
			r.draw()
			if !e.Live() {
				r.say(e.Exchange)
			}
		}
	})
	a.OnUse("response-format", func(u app.Use) {
		v := u.Value()
		if v == "headers" || v == "request" {
			r.part = v
		} else {
			r.part, r.format = "body", v
		}
		r.limit = firstLines
		r.draw()
	})
	a.OnUse("show-more", func(app.Use) { r.limit += 2 * firstLines; r.draw() })
	a.OnUse("show-all", func(app.Use) {
		if r.streaming() {
			r.format = "raw"
		}
		r.limit = 1 << 30
		r.draw()
	})
	a.OnUse("abort", func(app.Use) { a.Abort(r.id) })
	a.OnUse("copy-response", func(app.Use) {
		if e := a.Requests.Get(r.id); e != nil {
			a.Copy(e.Text(), "the response")
		}
	})
	a.OnUse("verdict-do", func(u app.Use) {
		next := app.Request{Method: u.Attr("data-method"), Path: u.Attr("data-path"),
			Body: u.Attr("data-body")}
		if t := u.Attr("data-type"); t != "" {
			next.Header = []tap.Field{{Name: "Content-Type", Value: t}}
		}
		if next.Method == "" || next.Method == http.MethodGet {
			next.Method = http.MethodGet
			a.Send(next)
			return
		}
		app.Emit(a.Bus, app.Compose{Request: next})
	})
	a.OnUse("verdict-step", func(u app.Use) {
		step, _ := strconv.Atoi(u.Attr("data-step"))
		app.Emit(a.Bus, app.OpenLesson{ID: u.Attr("data-lesson"), Step: step - 1})
		a.Open("lesson")
	})
	app.On(a.Bus, func(f revisions.Frame) { r.committed(f.Commit) })
	a.OnUse("toggle-event", func(u app.Use) {
		n, _ := strconv.Atoi(u.Attr("data-n"))
		r.opened[n] = !r.opened[n]
		r.still = true
		r.draw()
	})
	a.OnUse("link", r.follow)
	a.OnUse("fold", func(app.Use) {
		r.unfolded = !r.unfolded
		r.still = true
		app.Emit(a.Bus, app.Unfolded{On: r.unfolded})
		r.draw()
	})
	a.Draw("res-tools", func() templ.Component { return ui.ResponseTools(ui.ResponseView{}) })
	r.startJudging()
	return r
}

// verdictOn returns the verdict on a request.
func (r *response) verdictOn(e *tap.Exchange) verdict.Verdict {
	known := verdict.Facts{Exchange: e, State: r.Seen.State, Meant: r.Catalog.Meant, List: r.list}
	if r.Here(e) { // else the revisions may be those of another cluster
		known.Commits = r.Seen.Commits.Between
	}
	return verdict.Of(known)
}

// verdictView shows a verdict with its step, as the course has it.
func (r *response) verdictView(v verdict.Verdict) templ.Component {
	return VerdictView(v, r.Course().Step(v.Step.Lesson, v.Step.ID))
}

// committed judges the request that is shown again, if it has made a commit.
func (r *response) committed(c *revisions.Commit) {
	if c == nil || r.apply || r.change.shown {
		return
	}
	if e := r.Requests.Get(r.id); e != nil && e.Source.Has(c.Revision) {
		r.Draw("res-verdict", func() templ.Component { return r.verdictView(r.verdictOn(e)) })
	}
}

// startJudging publishes the verdict on the newest request that a user or a script has made, for the presenter's line.
func (r *response) startJudging() {
	newest := 0
	var said app.Judged
	judge := func() {
		e := r.Requests.Get(newest)
		if e == nil || e.Live() {
			return
		}
		v := r.verdictOn(e)
		sign := "read"
		if v.Tone == "bad" {
			if sign = "bad"; e.Status >= 400 {
				sign = strconv.Itoa(e.Status)
			}
		}
		if v.Title == "" && e.Origin == "console" {
			v.Title = plainly(e)
		}
		if now := (app.Judged{Request: e.ID, Sign: sign, Text: v.Title}); v.Title != "" && now != said {
			said = now
			app.Emit(r.Bus, now)
		}
	}
	app.On(r.Bus, func(e app.EntryChanged) {
		if e.Event.Type == tap.Request && e.Place == r.State().Place {
			newest = e.ID
		}
		if e.ID == newest {
			judge()
		}
	})
	r.judge = judge
}

// follow opens the target of a link in a body.
func (r *response) follow(u app.Use) {
	target := u.Attr("data-target")
	switch u.Attr("data-link") {
	case "object":
		if ref, ok := strings.CutPrefix(u.Attr("data-ref"), "obj-"); ok {
			app.Emit(r.Bus, app.OpenObject{Ref: ref})
		}
	case "revision":
		n, _ := strconv.ParseInt(target, 10, 64)
		app.Emit(r.Bus, app.GoTo{Revision: n})
	case "token":
		e := r.Requests.Get(r.id)
		if e == nil {
			return
		}
		app.Emit(r.Bus, app.Compose{Request: app.Request{Method: "GET", Path: verdict.NextPage(e.URL, target)}})
	}
}

func (r *response) show(id int) {
	if r.id != id {
		r.limit = firstLines
		r.ToTop("res-body")
		clear(r.opened)
		r.hold(id)
	}
	r.id, r.apply, r.change.shown = id, false, false
	r.part = "body"
	if r.format == "raw" || r.format == "events" {
		r.format = "json"
	}
	r.draw()
}

// hold has the log keep what is shown, and no longer what was.
func (r *response) hold(id int) {
	if r.held != nil {
		r.held.Release()
	}
	if r.held = r.Requests.Get(id); r.held != nil {
		r.held.Hold()
	}
}

// streaming reports whether what is shown is a stream of events.
func (r *response) streaming() bool {
	e := r.Requests.Get(r.id)
	return e != nil && e.Streams()
}

func (r *response) say(e *tap.Exchange) {
	switch {
	case e.Phase == tap.Failed:
		r.Alert(e.Method + " failed: " + e.Err)
	case e.Status >= 400:
		r.Alert(strconv.Itoa(e.Status) + " " + http.StatusText(e.Status))
	case e.Origin == "console":
		r.Announce("Answered " + strconv.Itoa(e.Status) + " " + http.StatusText(e.Status))
	}
}
