package verdict

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/text"
)

func (f *facts) watches() bool { return f.over() && f.Info.Verb == "watch" }

// phase returns what fits watches that are this far.
func phase(p tap.Phase) func(*facts) bool {
	return func(f *facts) bool { return f.watches() && f.Phase == p }
}

// watchRows are those of watches that were accepted.
var watchRows = []row{
	{"error event", func(f *facts) bool { return f.watches() && f.failed().Code != 0 }, Bad, "error event", func(f *facts,
		v *Verdict) {
		e := f.failed()
		v.Title, v.Words = strconv.Itoa(e.Code)+" inside a 200: list again.", e.Message
		v.Next = &Next{Label: "List again", Path: bare(f.URL)}
		switch {
		case e.Code == 410:
			v.Step = steps["gone watch"]
			words := ""
			if v.Title, words = f.gone(e.Message); f.Source.Gone == "" {
				v.Title = "410 inside a 200: list again."
			}
			v.Words = "The watch was accepted with 200, then an ERROR event ended it. " + words + " List again."
		case strings.Contains(e.Message, "Too large resource version"):
			f.answer.Message = e.Message
			f.notYet(v)
			v.Title = strings.Replace(v.Title, strconv.Itoa(f.Status), strconv.Itoa(e.Code)+" inside a 200", 1)
			v.Step = steps["not yet"]
		}
	}},
	{"watch of bytes", func(f *facts) bool { return f.watches() && f.Binary && f.Live() }, Good, "bytes",
		func(f *facts, v *Verdict) {
			v.Title = "Open, in " + f.format() + ": " + text.Size(f.Size) + " so far."
			v.Words = "Events in this format are neither counted nor drawn: none ends with a line."
		}},
	{"watch from the future", func(f *facts) bool {
		return f.watches() && f.Live() && f.Events == 0 && f.ahead() > 0
	}, Warn, "future watch", func(f *facts, v *Verdict) {
		v.Title = "Open, with no events until after " + itoa(f.version()) + "."
		v.Words = "The head is at " + itoa(f.head()) + ". Events up to " + itoa(f.version()) +
			" are skipped silently; those from " + itoa(f.version()+1) + " on are delivered."
	}},
	{"silent watch", func(f *facts) bool { return f.watches() && f.Live() && f.Events == 0 }, Plain, "watch",
		title("Open: no event has come yet.", "Each change of what it watches comes as one line. Its lane is on the stage.")},
	{"watch of the state", func(f *facts) bool { return f.watches() && f.Live() && f.stateOnly() }, Good, "watch",
		func(f *facts, v *Verdict) {
			v.Title = "Open: " + f.counted() + " so far, the state it began with."
			v.Words = "These objects were there already, so none of their versions is one to resume from. " +
				"That of the next change or bookmark is."
		}},
	{"watch", func(f *facts) bool { return f.watches() && f.Live() }, Good, "watch", func(f *facts, v *Verdict) {
		v.Title = "Open: " + f.counted() + " so far."
		v.Words = "A client remembers the version of the last one: from there it can resume when the connection breaks."
	}},
	{"closed watch", phase(tap.Aborted), Plain, "closed", func(f *facts, v *Verdict) {
		v.Title = "Closed by its client, after " + f.counted() + "."
	}},
	{"broken watch", phase(tap.Failed), Warn, "closed", func(f *facts, v *Verdict) {
		v.Title = "Broken off, after " + f.counted() + "."
		v.Words = "What happens now is not lost: watch again from the last version."
	}},
	{"ended watch", (*facts).watches, Plain, "closed", func(f *facts, v *Verdict) {
		v.Title = "Ended by the server, after " + f.counted() + "."
		v.Words = "It timed out, or it was cut. Watch again from the last version, as long as the history is kept."
	}},
}

// stateOnly reports whether all events so far are those of the state that the watch began with.
func (f *facts) stateOnly() bool {
	switch f.Source.Rule {
	case semantics.WatchLatest, semantics.WatchAny, semantics.WatchNotOlderThan, semantics.WatchOlder:
		return !slices.ContainsFunc(f.Lines, func(l *tap.Line) bool { return l.Type != "ADDED" || l.Rev > f.Source.Revision })
	}
	return false
}

// counted returns how many events have come.
func (f *facts) counted() string {
	if f.Binary {
		return text.Size(f.Size)
	}
	return text.Plural(int64(f.Events), "event", "events")
}

// head returns the newest revision that is known.
func (f *facts) head() int64 { return max(f.State.Head, f.Source.Head) }

// ahead returns how far the version that a watch was asked from is ahead of the head; 0 if it is not. A watch that
// begins with the state waits for that version, and its answer with it.
func (f *facts) ahead() int64 {
	if f.Source.Rule != semantics.WatchFrom || f.head() == 0 {
		return 0
	}
	return max(0, f.version()-f.head())
}

// wanted returns the version that a parameter or a token asks for, or 0 if neither names one.
func (f *facts) wanted() int64 {
	if token := f.Info.Query.Get("continue"); token != "" {
		t, err := tap.DecodeToken(token)
		if err != nil {
			return 0
		}
		return t.Rev
	}
	return f.version()
}

// failed returns the ERROR event that a watch ends with; one without a code if it does not.
func (f *facts) failed() tap.WatchEvent {
	if l := f.LastError(); l != nil {
		return l.WatchEvent
	}
	return tap.WatchEvent{}
}
