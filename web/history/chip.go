package history

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/revisions/scan"
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
}

// Chip returns the entry's chip. lane is the name of the lane that draws it, empty if none does; waits says what it
// waits for (see Positions.Waits).
func (e *Entry) Chip(lane, waits string) Chip {
	switch {
	case e.Phase == Pending:
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
		return Chip{Kind: Wrote, Text: "→ " + spans(e.Source.Wrote), Revision: e.Source.Wrote[0].First}
	case e.Source.Revision > 0 && !e.writes():
		return Chip{Kind: Read, Text: "as of " + strconv.FormatInt(e.Source.Revision, 10), Revision: e.Source.Revision}
	}
	return Chip{}
}

// writes reports whether the request asks for a change.
func (e *Entry) writes() bool {
	switch e.Method {
	case "GET", "HEAD", "OPTIONS":
		return false
	}
	return true
}

// compacts reports whether the request compacts the history.
func (e *Entry) compacts() bool {
	return e.Method == "POST" && e.Info.Resource == "controlplanes" && e.Info.Subresource == "compact"
}

// compactedWithin is how soon after a request's answer its compaction is reported.
const compactedWithin = 2 * time.Second

// Compacted notes that the history now begins at a revision, and returns the request that did it: the newest one that
// compacts, if it has just succeeded or is not answered yet. Otherwise it was the retention, and it returns nil.
func (l *Log) Compacted(revision int64, now time.Time) *Entry {
	for i := len(l.entries) - 1; i >= 0; i-- {
		e := l.entries[i]
		if !e.compacts() || e.Kept || e.Status >= 300 || e.Phase == Failed || e.Phase == Aborted {
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
		l.changed(e)
		return e
	}
	return nil
}

// maxErrorEvent is how much of a watch's end is searched for an ERROR event.
const maxErrorEvent = 16 << 10

// errorCode returns the code of the ERROR event that a watch's text ends with, 0 if it
// ends otherwise.
func errorCode(text string) int {
	text = strings.TrimRight(text, "\n")
	line := text[strings.LastIndexByte(text, '\n')+1:]
	if !strings.Contains(line, `"ERROR"`) {
		return 0
	}
	kind, code := "", int64(0)
	c := scan.New(line)
	err := c.Object(func(key string) (err error) {
		switch key {
		case "type":
			kind, err = c.String()
		case "object":
			err = c.Object(func(key string) (err error) {
				if key != "code" {
					return c.Skip()
				}
				code, err = c.Int()
				return err
			})
		default:
			err = c.Skip()
		}
		return err
	})
	if err != nil || kind != "ERROR" {
		return 0
	}
	return int(code)
}
