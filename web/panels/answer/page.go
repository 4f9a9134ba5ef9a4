//go:build js && wasm

// More than 400 lines: the handlers of one panel share its state.

package answer

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/panels/answer/verdict"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/ui"
)

func init() { Start = startResponse }

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
	unfolded bool // managedFields are shown in full
	still    bool // the body does not follow its end: something in it was opened
	status   *dom.Element
	verdict  *dom.Element
	tools    *dom.Element
	body     *dom.Element
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

func startResponse(a *app.App) {
	r := &response{App: a, part: "body", format: "table", limit: firstLines, opened: map[int]bool{},
		status: a.Doc.GetElementByID("res-status"), verdict: a.Doc.GetElementByID("res-verdict"),
		tools: a.Doc.GetElementByID("res-tools"), body: a.Doc.GetElementByID("res-body")}
	r.startChange()
	app.On(a.Bus, func(e app.Requesting) { r.await = &e.Request })
	place, away := a.State().Place, map[string]int{} // what was shown of other clusters
	app.On(a.Bus, func(s app.State) {
		if s.Place != place {
			away[place] = r.id
			place = s.Place
			r.change.shown = false
			r.show(away[place])
		}
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
	a.Action("response-format", func(el *dom.Element, _ dom.Event) {
		v := el.Underlying().Get("value").String()
		if v == "headers" || v == "request" {
			r.part = v
		} else {
			r.part, r.format = "body", v
		}
		r.limit = firstLines
		r.draw()
	})
	a.Action("show-more", func(*dom.Element, dom.Event) { r.limit += 2 * firstLines; r.draw() })
	a.Action("show-all", func(*dom.Element, dom.Event) {
		if r.streaming() {
			r.format = "raw"
		}
		r.limit = 1 << 30
		r.draw()
	})
	a.Action("abort", func(*dom.Element, dom.Event) { a.Abort(r.id) })
	a.Action("copy-response", func(*dom.Element, dom.Event) {
		if e := a.Requests.Get(r.id); e != nil {
			a.Copy(e.Text(), "the response")
		}
	})
	a.Action("verdict-do", func(el *dom.Element, _ dom.Event) {
		next := app.Request{Method: el.GetAttribute("data-method"), Path: el.GetAttribute("data-path"),
			Body: el.GetAttribute("data-body")}
		if t := el.GetAttribute("data-type"); t != "" {
			next.Header = []tap.Field{{Name: "Content-Type", Value: t}}
		}
		if next.Method == "" || next.Method == http.MethodGet {
			next.Method = http.MethodGet
			a.Send(next)
			return
		}
		app.Emit(a.Bus, app.Compose{Request: next})
	})
	a.Action("verdict-step", func(el *dom.Element, _ dom.Event) {
		step, _ := strconv.Atoi(el.GetAttribute("data-step"))
		app.Emit(a.Bus, app.OpenLesson{ID: el.GetAttribute("data-lesson"), Step: step - 1})
		a.Open("lesson")
	})
	app.On(a.Bus, func(f revisions.Frame) { r.committed(f.Commit) })
	a.Action("toggle-event", func(el *dom.Element, _ dom.Event) {
		n, _ := strconv.Atoi(el.GetAttribute("data-n"))
		r.opened[n] = !r.opened[n]
		r.still = true
		r.draw()
	})
	a.Action("link", r.follow)
	a.Action("fold", func(*dom.Element, dom.Event) {
		r.unfolded = !r.unfolded
		r.still = true
		app.Emit(a.Bus, app.Unfolded{On: r.unfolded})
		r.draw()
	})
	a.RenderFunc(r.tools, func() templ.Component { return ui.ResponseTools(ui.ResponseView{}) })
	r.startJudging()
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
		r.RenderFunc(r.verdict, func() templ.Component { return r.verdictView(r.verdictOn(e)) })
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
func (r *response) follow(el *dom.Element, _ dom.Event) {
	target := el.GetAttribute("data-target")
	switch el.GetAttribute("data-link") {
	case "object":
		if ref, ok := strings.CutPrefix(el.GetAttribute("data-ref"), "obj-"); ok {
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
		r.body.Underlying().Set("scrollTop", 0)
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

func (r *response) draw() {
	if r.apply {
		rows := r.applied
		done := 0
		for _, a := range rows {
			if a.Result != "" {
				done++
			}
		}
		r.RenderFunc(r.status, func() templ.Component {
			return templ.Raw(`<span class="code">Manifest</span> <span class="fact num">` + strconv.Itoa(done) + " of " +
				strconv.Itoa(len(rows)) + `</span>`)
		})
		r.RenderFunc(r.tools, func() templ.Component { return ui.ResponseTools(ui.ResponseView{}) })
		r.RenderFunc(r.verdict, func() templ.Component { return templ.NopComponent })
		r.RenderFunc(r.body, func() templ.Component { return ui.ApplyReport(rows, done == len(rows)) })
		return
	}
	e := r.Requests.Get(r.id)
	if e == nil {
		r.RenderFunc(r.status, func() templ.Component { return templ.NopComponent })
		r.RenderFunc(r.tools, func() templ.Component { return ui.ResponseTools(ui.ResponseView{}) })
		r.RenderFunc(r.verdict, func() templ.Component { return templ.NopComponent })
		r.RenderFunc(r.body, Nothing)
		return
	}
	r.RenderFunc(r.status, func() templ.Component {
		s := answerStatus(e)
		if e.Phase == tap.Pending {
			s.Reason = r.Positions().Waits(e)
		}
		return ui.ResponseStatus(s)
	})
	r.RenderFunc(r.verdict, func() templ.Component {
		return r.verdictView(r.verdictOn(e))
	})
	r.RenderFunc(r.tools, func() templ.Component {
		v := ui.ResponseView{Part: r.part, Format: r.shownFormat(e), Formats: []string{"json", "yaml", "raw"}, Live: e.Live(),
			Copy: e.Size > 0}
		switch {
		case e.Binary:
			v.Formats = []string{"hex"}
		case r.streaming():
			v.Formats = []string{"events", "raw"}
		case r.table(e) != nil:
			v.Formats = []string{"table", "json", "yaml", "raw"}
		}
		return ui.ResponseTools(v)
	})
	app.Toggle(r.body, "data-stick", r.streaming() && !r.still)
	r.RenderFunc(r.body, func() templ.Component { return r.content(e) })
}

// shownFormat returns the format in use: streams know only some.
func (r *response) shownFormat(e *tap.Exchange) string {
	if e.Binary {
		return "hex"
	}
	if r.streaming() && r.format != "raw" {
		return "events"
	}
	if r.format == "table" && r.table(e) == nil {
		return "json"
	}
	return r.format
}

// table returns the answer as a Table, nil if it is none.
func (r *response) table(e *tap.Exchange) *text.Grid {
	if e.Live() {
		return nil
	}
	if l := &r.grid; l.id != e.ID || l.changed != e.Changed {
		l.id, l.changed, l.grid = e.ID, e.Changed, text.Table(e.Text())
	}
	return r.grid.grid
}

func answerStatus(e *tap.Exchange) ui.Status {
	s := ui.Status{ID: e.ID, Method: e.Method, URL: e.URL, Dir: history.Prefix(e), Live: e.Live(), Code: e.Status}
	switch e.Phase {
	case tap.Pending:
		s.Reason = "waiting"
		return s
	case tap.Failed:
		s.Reason = "no answer: " + e.Err
		if e.Status > 0 {
			s.Reason = "broken off: " + e.Err
		}
	case tap.Aborted:
		s.Reason = "aborted"
	default:
		s.Reason = http.StatusText(e.Status)
	}
	if n := e.Get(wellknown.ReplicaHeader); n != "" {
		s.Facts = append(s.Facts, "from C"+n)
	}
	if e.Phase != tap.Streaming {
		s.Facts = append(s.Facts, text.Duration(e.Duration(time.Now())))
	} else if e.Info.Verb != "watch" {
		s.Facts = append(s.Facts, "…")
	}
	if e.Streams() {
		s.Facts = append(s.Facts, text.Plural(int64(e.Events), "event", "events"))
	} else if e.Size > 0 {
		s.Facts = append(s.Facts, text.Size(e.Size))
	}
	if e.Phase == tap.Streaming && e.Info.Verb == "watch" {
		s.Facts = append(s.Facts, "open")
	}
	return s
}

func (r *response) content(e *tap.Exchange) templ.Component {
	switch {
	case r.part == "headers":
		return ui.Headers(e.ResHeader)
	case r.part == "request":
		return r.exchange(e)
	case r.shownFormat(e) == "events":
		return r.events(e)
	case e.Trimmed && e.Len() == 0:
		return ui.Empty("This body is no longer kept: newer ones needed the space. Send the request again to see it.")
	case e.Size == 0 && e.Live():
		return templ.NopComponent
	case e.Size == 0:
		return ui.Empty("No body.")
	}
	format := r.shownFormat(e)
	if format == "table" {
		return ui.Table(r.table(e))
	}
	return r.code(e, format)
}

// events returns the newest events of a stream.
func (r *response) events(e *tap.Exchange) templ.Component {
	newest := e.Lines[max(0, len(e.Lines)-shownEvents):]
	out := make([]ui.StreamEvent, len(newest))
	for i, l := range newest {
		ev := streamEvent(l, e.Info)
		if ev.Open = r.opened[l.Num]; ev.Open {
			lines, _ := text.JSON(l.Text)
			var b strings.Builder
			text.HTML(&b, text.Fold(lines, r.unfolded), e.Info.GroupResource())
			ev.Body = b.String()
		}
		out[i] = ev
	}
	return ui.StreamEvents(out, e.Events-len(out), e.Live())
}

func streamEvent(l *tap.Line, info tap.Info) ui.StreamEvent {
	ev := ui.StreamEvent{N: l.Num, Type: l.Type}
	switch {
	case l.Type == "":
		ev.Name = l.Text
		return ev
	case l.Type == "ERROR":
		ev.Name, ev.Detail = strconv.Itoa(l.Code)+" "+l.Reason, l.Message
		return ev
	case l.Rev > 0:
		ev.Rev = itoa(l.Rev)
		ev.Refs = "rev-" + ev.Rev
	}
	if l.Name != "" {
		info.Namespace, info.Name = l.Namespace, l.Name
		ev.Name = strings.TrimPrefix(l.Namespace+"/"+l.Name, "/")
		ev.Refs += " " + info.Ref()
	}
	if l.Type == "BOOKMARK" {
		ev.Name = "resourceVersion " + ev.Rev
		if l.InitialEnd {
			ev.Detail = "end of the initial events"
		}
	}
	return ev
}
