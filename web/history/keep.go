package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/tap"
)

const (
	// keptForm is the version of the text that Keep writes.
	keptForm = 2
	// maxKept limits the text that Keep writes, in bytes: it has the newest requests. A body longer than maxKeptBody is
	// left out.
	maxKept     = 1 << 20
	maxKeptBody = 64 << 10
)

type (
	keptLog struct {
		Form    int         `json:"form"`
		Entries []keptEntry `json:"entries"` // newest first
	}
	keptEntry struct {
		Method      string      `json:"method"`
		URL         string      `json:"url"`
		Header      []tap.Field `json:"header,omitempty"`
		Body        string      `json:"body,omitempty"`
		Origin      string      `json:"origin"`
		Started     time.Time   `json:"started"`
		Phase       Phase       `json:"phase"`
		Status      int         `json:"status,omitempty"`
		Answer      []tap.Field `json:"answer,omitempty"`
		Answered    time.Time   `json:"answered,omitzero"`
		Ended       time.Time   `json:"ended,omitzero"`
		Err         string      `json:"err,omitempty"`
		Size        int         `json:"size,omitempty"`
		Events      int         `json:"events,omitempty"`
		Code        int         `json:"code,omitempty"`
		HistoryFrom int64       `json:"horizon,omitempty"`
		Source      *Source     `json:"source,omitempty"`
		Trimmed     bool        `json:"trimmed,omitempty"`
		Bodyless    bool        `json:"bodyless,omitempty"`
		Text        string      `json:"text,omitempty"`
		Bytes       []byte      `json:"bytes,omitempty"` // the body, where it is not text
	}
)

// ErrKept is the error of a text that Keep has not written.
var ErrKept = errors.New("history: not what was kept")

// Keep returns the newest requests as text for Restore, for after a reload of the page: at most a megabyte of them.
// Requests under way at now count as ended by the reload.
func (l *Log) Keep(now time.Time) string {
	out := keptLog{Form: keptForm, Entries: []keptEntry{}}
	size := 0
	for i := len(l.entries) - 1; i >= 0; i-- {
		k := l.entries[i].keep(now)
		if size += len(k.URL) + len(k.Body) + len(k.Text) + 2*len(k.Bytes) + fieldsSize(k.Header) + fieldsSize(k.Answer) +
			300; size > maxKept {
			break
		}
		out.Entries = append(out.Entries, k)
	}
	b, err := json.Marshal(out)
	if err != nil {
		return "" // a time in a year that JSON does not have
	}
	return string(b)
}

func (e *Entry) keep(now time.Time) keptEntry {
	k := keptEntry{
		Method: e.Method, URL: e.URL, Header: e.Header, Body: e.Body, Origin: e.Origin, Started: e.Started,
		Phase: e.Phase, Status: e.Status, Answer: e.ResHeader, Answered: e.Answered, Ended: e.Ended, Err: e.Err,
		Size: e.Size, Events: e.Events, Code: e.ErrorCode, HistoryFrom: e.HistoryFrom,
		Trimmed: e.Trimmed, Bodyless: e.Bodyless,
	}
	if e.Live() {
		k.Phase, k.Ended, k.Err = Aborted, now, "the page was reloaded"
	}
	if e.Status > 0 {
		k.Source = &e.Source
	}
	if e.kept <= maxKeptBody && e.Binary {
		k.Bytes = []byte(e.Text())
	} else if e.kept <= maxKeptBody {
		k.Text = e.Text()
	} else {
		k.Trimmed = true
	}
	if len(k.Body) > maxKeptBody {
		k.Body, k.Bodyless = "", true
	}
	return k
}

func fieldsSize(fields []tap.Field) int {
	n := 0
	for _, f := range fields {
		n += len(f.Name) + len(f.Value) + 24
	}
	return n
}

// Restore inserts what Keep wrote before the requests of this page, marked as kept. Their IDs are negative. A text of
// another form is an ErrKept, and changes nothing.
func (l *Log) Restore(kept string) error {
	var in keptLog
	if err := json.Unmarshal([]byte(kept), &in); err != nil {
		return fmt.Errorf("%w: %w", ErrKept, err)
	}
	if in.Form != keptForm {
		return fmt.Errorf("%w: form %d", ErrKept, in.Form)
	}
	first := 0 // what an earlier Restore has taken
	if len(l.entries) > 0 {
		first = min(0, l.entries[0].ID)
	}
	for i, k := range in.Entries {
		e := k.entry()
		e.ID = first - 1 - i
		l.insert(0, e)
		l.changed(e)
	}
	l.shrink()
	return nil
}

func (k keptEntry) entry() *Entry {
	if k.Phase != Failed && k.Phase != Aborted {
		k.Phase = Done
	}
	e := &Entry{
		Method: k.Method, URL: k.URL, Header: k.Header, Body: k.Body, Origin: k.Origin, Started: k.Started,
		Info: Classify(k.Method, k.URL), Phase: k.Phase, Status: k.Status, ResHeader: k.Answer, Answered: k.Answered,
		Ended: k.Ended,
		Err:   k.Err, Size: max(0, k.Size), Events: max(0, k.Events), ErrorCode: k.Code, HistoryFrom: k.HistoryFrom,
		Trimmed: k.Trimmed, Bodyless: k.Bodyless, Source: Source{Server: -1}, Kept: true,
	}
	if k.Source != nil {
		e.Source = *k.Source
	}
	e.Binary = tap.IsBinary(e.Get("Content-Type"))
	if e.Binary {
		k.Text = string(k.Bytes)
	}
	if k.Text != "" {
		// Freed from the memory of all the others.
		e.pieces, e.kept, e.seen = []string{strings.Clone(k.Text)}, len(k.Text), len(k.Text)
	}
	return e
}
