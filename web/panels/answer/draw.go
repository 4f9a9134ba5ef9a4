package answer

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/ui"
)

// draw brings the panel up to date at the next frame.
func (r *response) draw() {
	if r.apply {
		rows := r.applied
		done := 0
		for _, a := range rows {
			if a.Result != "" {
				done++
			}
		}
		r.Draw("res-status", func() templ.Component {
			return templ.Raw(`<span class="code">Manifest</span> <span class="fact num">` + strconv.Itoa(done) + " of " +
				strconv.Itoa(len(rows)) + `</span>`)
		})
		r.Draw("res-tools", func() templ.Component { return ui.ResponseTools(ui.ResponseView{}) })
		r.Draw("res-verdict", func() templ.Component { return templ.NopComponent })
		r.Draw("res-body", func() templ.Component { return ui.ApplyReport(rows, done == len(rows)) })
		return
	}
	e := r.Requests.Get(r.id)
	if e == nil {
		r.Draw("res-status", func() templ.Component { return templ.NopComponent })
		r.Draw("res-tools", func() templ.Component { return ui.ResponseTools(ui.ResponseView{}) })
		r.Draw("res-verdict", func() templ.Component { return templ.NopComponent })
		r.Draw("res-body", Nothing)
		return
	}
	r.Draw("res-status", func() templ.Component {
		s := answerStatus(e)
		if e.Phase == tap.Pending {
			s.Reason = r.Positions().Waits(e)
		}
		return ui.ResponseStatus(s)
	})
	r.Draw("res-verdict", func() templ.Component {
		return r.verdictView(r.verdictOn(e))
	})
	r.Draw("res-tools", func() templ.Component {
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
	r.Mark("res-body", "data-stick", r.streaming() && !r.still)
	r.Draw("res-body", func() templ.Component { return r.content(e) })
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

// table returns the rows and columns of an answer that is a Table, or nil if it is not a Table.
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
	case e.Trimmed && e.Len() == 0 && e.Size > tap.MaxBytes:
		return ui.Empty("This body has " + text.Size(e.Size) + ", and the page keeps at most " + text.Size(tap.MaxBytes) +
			". Ask for it by pages, with limit.")
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
