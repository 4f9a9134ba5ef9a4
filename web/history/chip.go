package history

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/tap"
)

// ChipKind says what a Chip tells.
type ChipKind string

// The kinds of chips.
const (
	NoChip   ChipKind = ""
	Wrote    ChipKind = "wrote"   // the request made revisions
	Read     ChipKind = "read"    // the answer is as of a revision
	Watched  ChipKind = "watch"   // the request is a watch, drawn in a lane
	Lost     ChipKind = "lost"    // a watch whose last event is an ERROR
	Compacts ChipKind = "horizon" // the request moved the beginning of the history
	Waits    ChipKind = "waits"   // the answer is still to come
)

// A Chip says in a word or two what a request has to do with revisions.
type Chip struct {
	Kind ChipKind
	Text string
	// Revision is the one to go to; 0: none.
	Revision int64
	// Left says that it is of a cluster that was left: there is nothing of it to go to.
	Left bool
}

// ChipOf returns the entry's chip. lane is the name of the lane that draws it, empty if none does; waits says what it
// waits for (see Positions.Waits).
func ChipOf(e *tap.Exchange, lane, waits string) Chip {
	switch {
	case e.Phase == tap.Pending:
		return Chip{Kind: Waits, Text: waits}
	case e.Info.Verb == "watch" && e.Status == 200:
		c := Chip{Kind: Watched, Text: lane}
		if c.Text == "" {
			c.Text = "watch"
		}
		if e.ErrorCode != 0 {
			c.Kind, c.Text = Lost, c.Text+" · "+strconv.Itoa(e.ErrorCode)
		}
		return c
	case e.Status >= 300 || e.Status == 0:
		return Chip{}
	case e.HistoryFrom > 0:
		return Chip{Kind: Compacts, Text: "history from " + strconv.FormatInt(e.HistoryFrom, 10), Revision: e.HistoryFrom}
	case len(e.Source.Wrote) > 0:
		return wroteChip(e.Source.Wrote)
	case e.Source.Revision > 0 && !writes(e):
		return Chip{Kind: Read, Text: "as of " + strconv.FormatInt(e.Source.Revision, 10), Revision: e.Source.Revision}
	}
	return Chip{}
}

func wroteChip(all []Span) Chip {
	return Chip{Kind: Wrote, Text: "→ " + spans(all), Revision: all[0].First}
}

// writes reports whether the request asks for a change.
func writes(e *tap.Exchange) bool {
	switch e.Method {
	case "GET", "HEAD", "OPTIONS":
		return false
	}
	return true
}

// compacts reports whether the request compacts the history.
func compacts(e *tap.Exchange) bool {
	return e.Method == "POST" && e.Info.Resource == "controlplanes" && e.Info.Subresource == settings.Compact.Name
}

// compactedWithin is how soon after a request's answer its compaction is reported.
const compactedWithin = 2 * time.Second

// Compacted notes that a cluster's history now begins at a revision, and returns the request that did it: the newest
// one that compacts, if it has just succeeded or is not answered yet. Otherwise it was the retention, and it returns
// nil.
func Compacted(l *tap.Log, place string, revision int64, now time.Time) *tap.Exchange {
	for i := len(l.All()) - 1; i >= 0; i-- {
		e := l.All()[i]
		if !compacts(e) || e.Place != place || e.Status >= 300 ||
			e.Phase == tap.Failed || e.Phase == tap.Aborted {
			continue
		}
		if e.HistoryFrom != 0 || !e.Live() && now.Sub(e.Ended) > compactedWithin {
			return nil
		}
		var asked struct{ Revision int64 }
		if json.Unmarshal([]byte(e.Body), &asked) == nil && asked.Revision != 0 && asked.Revision != revision {
			return nil // it asked for another one: this is the retention's doing
		}
		e.HistoryFrom = revision
		l.Note(e)
		return e
	}
	return nil
}
