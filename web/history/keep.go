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
	keptForm = 3
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
		Place       string      `json:"place"`
		Started     time.Time   `json:"started"`
		Phase       tap.Phase   `json:"phase"`
		Status      int         `json:"status,omitempty"`
		Answer      []tap.Field `json:"answer,omitempty"`
		Answered    time.Time   `json:"answered,omitzero"`
		Ended       time.Time   `json:"ended,omitzero"`
		Err         string      `json:"err,omitempty"`
		Size        int         `json:"size,omitempty"`
		Events      int         `json:"events,omitempty"`
		Code        int         `json:"code,omitempty"`
		HistoryFrom int64       `json:"horizon,omitempty"`
		Source      *tap.Source `json:"source,omitempty"`
		Trimmed     bool        `json:"trimmed,omitempty"`
		Bodyless    bool        `json:"bodyless,omitempty"`
		Text        string      `json:"text,omitempty"`
		Bytes       []byte      `json:"bytes,omitempty"` // the body, where it is not text
	}
)

// ErrKept is the error of a text that Keep has not written.
var ErrKept = errors.New("history: not what was kept")

// Keep returns the newest requests as text for Restore, for after a reload of the page: at most a megabyte of them, and
// none of scenes, whose clusters end with the page.
// Requests under way at now count as ended by the reload.
func Keep(l *tap.Log, now time.Time) string {
	out := keptLog{Form: keptForm, Entries: []keptEntry{}}
	size := 0
	for i := len(l.All()) - 1; i >= 0; i-- {
		if tap.Passing(l.All()[i].Place) {
			continue
		}
		k := keep(l.All()[i], now)
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

func keep(e *tap.Exchange, now time.Time) keptEntry {
	k := keptEntry{
		Method: e.Method, URL: e.URL, Header: e.Header, Body: e.Body, Origin: e.Origin, Place: e.Place, Started: e.Started,
		Phase: e.Phase, Status: e.Status, Answer: e.ResHeader, Answered: e.Answered, Ended: e.Ended, Err: e.Err,
		Size: e.Size, Events: e.Events, Code: e.ErrorCode, HistoryFrom: e.HistoryFrom,
		Trimmed: e.Trimmed, Bodyless: e.Bodyless,
	}
	if e.Live() {
		k.Phase, k.Ended, k.Err = tap.Aborted, now, "the page was reloaded"
	}
	if e.Status > 0 {
		k.Source = &e.Source
	}
	switch {
	case e.Len() > maxKeptBody:
		k.Trimmed = true
	case e.Binary:
		k.Bytes = []byte(e.Text())
	default:
		k.Text = e.Text()
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
func Restore(l *tap.Log, kept string) error {
	var in keptLog
	if err := json.Unmarshal([]byte(kept), &in); err != nil {
		return fmt.Errorf("%w: %w", ErrKept, err)
	}
	if in.Form != keptForm {
		return fmt.Errorf("%w: form %d", ErrKept, in.Form)
	}
	first := 0 // what an earlier Restore has taken
	if l.Len() > 0 {
		first = min(0, l.All()[0].ID)
	}
	for i, k := range in.Entries {
		if k.Bytes != nil {
			k.Text = string(k.Bytes)
		}
		e := k.entry()
		e.ID = first - 1 - i
		l.Precede(e, strings.Clone(k.Text)) // freed from the memory of all the others
	}
	return nil
}

func (k keptEntry) entry() *tap.Exchange {
	if k.Phase != tap.Failed && k.Phase != tap.Aborted {
		k.Phase = tap.Done
	}
	e := &tap.Exchange{
		Method: k.Method, URL: k.URL, Header: k.Header, Body: k.Body, Origin: k.Origin, Place: k.Place, Started: k.Started,
		Info: tap.Classify(k.Method, k.URL), Phase: k.Phase, Status: k.Status, ResHeader: k.Answer, Answered: k.Answered,
		Ended: k.Ended,
		Err:   k.Err, Size: max(0, k.Size), Events: max(0, k.Events), ErrorCode: k.Code, HistoryFrom: k.HistoryFrom,
		Trimmed: k.Trimmed, Bodyless: k.Bodyless, Source: tap.Source{Server: -1},
	}
	if k.Source != nil {
		e.Source = *k.Source
	}
	e.Binary = tap.IsBinary(e.Get("Content-Type"))
	return e
}
