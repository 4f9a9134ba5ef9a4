package history

import (
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/tap"
)

const (
	// maxEntries and maxBytes bound what a Log keeps. The oldest finished entries
	// lose their bodies first, then go.
	maxEntries = 2000
	maxBytes   = 32 << 20
	// maxStream bounds one stream's text: of an endless watch the newest is kept.
	maxStream = 4 << 20
	// smallBody is the size of a request's body that stays as long as its entry, in
	// bytes: it can then be copied, and sent again.
	smallBody = 4 << 10
)

// Phase says how far a request is.
type Phase byte

// The phases.
const (
	Pending   Phase = iota // made, not answered
	Streaming              // its answer has begun
	Done
	Failed
	Aborted
)

// An Entry is one request and its answer.
type Entry struct {
	ID      int
	Method  string
	URL     string
	Header  []tap.Field
	Body    string
	Origin  string
	Info    Info
	Started time.Time

	Phase     Phase
	Status    int
	ResHeader []tap.Field
	Source    Source
	Answered  time.Time // when the answer began
	Ended     time.Time
	Err       string
	Size      int  // bytes of the answer so far
	Binary    bool // the answer is no text
	Events    int  // lines of a watch's answer
	Trimmed   bool // the beginning, or all, of the answer is no longer kept
	Changed   int  // counts up with every change: for who draws it
	Bodyless  bool // the body of the request is no longer kept
	Kept      bool // the request is from before the page was loaded (see Keep)

	// ErrorCode is the code of the ERROR event that a watch ended with, 0 if there
	// was none. HistoryFrom is where the history begins since the request.
	ErrorCode   int
	HistoryFrom int64

	pieces []string
	kept   int // bytes of pieces
	seen   int // bytes that there have been, kept or not
}

// Live reports whether an answer is still to come.
func (e *Entry) Live() bool { return e.Phase == Pending || e.Phase == Streaming }

// Text returns the answer's body so far.
func (e *Entry) Text() string {
	if len(e.pieces) > 1 {
		e.pieces = []string{strings.Join(e.pieces, "")}
	}
	if len(e.pieces) == 0 {
		return ""
	}
	return e.pieces[0]
}

// Since returns the text behind the first n bytes of all that there has been, as far
// as it is kept, and how many there have been now: the n of the next call. It
// costs what is new.
func (e *Entry) Since(n int) (text string, now int) { return e.after(n), e.seen }

// End returns the last n bytes of the text, as far as they are kept. It costs what it
// returns.
func (e *Entry) End(n int) string { return e.after(e.seen - n) }

// after returns the text behind the first n bytes of all that there has been, as far
// as it is kept.
func (e *Entry) after(n int) string {
	want := e.seen - n
	if want <= 0 {
		return ""
	}
	// A few of the last pieces are enough, so a long stream is not joined each time.
	from, have := len(e.pieces), 0
	for from > 0 && have < want {
		from--
		have += len(e.pieces[from])
	}
	text := strings.Join(e.pieces[from:], "")
	return text[max(0, len(text)-want):]
}

// Get returns the first header of that name in the answer.
func (e *Entry) Get(name string) string { return tap.Get(e.ResHeader, name) }

// Duration returns how long the answer took, or has taken until now.
func (e *Entry) Duration(now time.Time) time.Duration {
	if !e.Ended.IsZero() {
		now = e.Ended
	}
	return max(0, now.Sub(e.Started))
}

// A Log keeps the requests of the page. The zero value is ready.
type Log struct {
	entries []*Entry
	byID    map[int]*Entry
	bytes   int
	views   []*View
	// early has the revisions of requests that the tap has not reported yet: it reports once a frame.
	early map[int]*Source
	// enough is the size past which bodies are forgotten next; 0: maxBytes. A search for bodies to forget frees more
	// than it has to, and the next one is put off if it could not.
	enough int
}

// changed tells the views that an entry is new or has changed.
func (l *Log) changed(e *Entry) {
	e.Changed++
	for _, v := range l.views {
		v.touch(e)
	}
}

// gone tells the views that entries are no longer there.
func (l *Log) gone(e *Entry) {
	l.bytes -= e.kept + len(e.Body)
	delete(l.byID, e.ID)
	for _, v := range l.views {
		v.drop(e)
	}
}

// Add takes a tap event and returns the entry that it changed, nil if none.
func (l *Log) Add(ev tap.Event) *Entry {
	if ev.Type == tap.Request {
		e := &Entry{
			ID: ev.ID, Method: ev.Method, URL: ev.URL, Header: ev.Header, Body: ev.Body, Origin: ev.Origin,
			Started: ev.Time, Info: Classify(ev.Method, ev.URL), Source: Source{Server: -1},
		}
		if s := l.early[ev.ID]; s != nil {
			e.Source = *s
			delete(l.early, ev.ID)
		}
		if len(e.Body) > maxBytes {
			e.Body, e.Bodyless = "", true
		}
		l.insert(len(l.entries), e)
		l.changed(e)
		l.shrink()
		return e
	}
	e := l.byID[ev.ID]
	if e == nil || !e.Live() {
		return nil
	}
	switch ev.Type {
	case tap.Head:
		made := e.Source
		if e.Source = sourceOf(ev); e.Source.Rule == "" {
			e.Source.Wrote, e.Source.More = made.Wrote, made.More
		}
		e.Phase, e.Status, e.ResHeader, e.Answered = Streaming, ev.Status, ev.Header, ev.Time
		e.Binary = tap.IsBinary(e.Get("Content-Type"))
	case tap.Chunk:
		l.text(e, ev.Text)
	case tap.End, tap.Fail:
		l.text(e, ev.Text)
		e.Ended, e.Err = ev.Time, ev.Err
		switch {
		case ev.Type == tap.End:
			e.Phase = Done
		case ev.Aborted:
			e.Phase = Aborted
		default:
			e.Phase = Failed
		}
		if e.Info.Verb == "watch" && e.Status == 200 {
			e.ErrorCode = errorCode(e.after(e.seen - maxErrorEvent))
		}
	}
	l.changed(e)
	return e
}

// Wrote notes that a request has made a revision, as the revisions stream says, and returns its entry. It returns nil
// if the request is not known yet, or if its answer has said which revisions it has made.
func (l *Log) Wrote(id int, revision int64) *Entry {
	e := l.byID[id]
	switch {
	case e == nil && (len(l.entries) == 0 || id > l.entries[len(l.entries)-1].ID):
		if l.early == nil || len(l.early) > maxEntries {
			l.early = map[int]*Source{}
		}
		if l.early[id] == nil {
			l.early[id] = &Source{Server: -1}
		}
		l.early[id].Write(revision)
		return nil
	case e == nil || e.Source.Rule != "":
		return nil
	}
	e.Source.Write(revision)
	l.changed(e)
	return e
}

// insert puts an entry into the log, at that place.
func (l *Log) insert(at int, e *Entry) {
	if l.byID == nil {
		l.byID = map[int]*Entry{}
	}
	l.byID[e.ID] = e
	l.entries = slices.Insert(l.entries, at, e)
	l.bytes += e.kept + len(e.Body)
}

func (l *Log) text(e *Entry, s string) {
	if s == "" {
		return
	}
	e.Size += len(s)
	if e.Info.Verb == "watch" {
		e.Events += strings.Count(s, "\n")
	}
	if e.Info.Verb != "watch" && e.Size > maxBytes { // it would be all that is kept
		l.bytes -= e.kept
		e.pieces, e.kept, e.Trimmed = nil, 0, true
		return
	}
	e.seen += len(s)
	e.pieces = append(e.pieces, s)
	e.kept += len(s)
	l.bytes += len(s)
	if e.Info.Verb == "watch" && e.kept > maxStream {
		l.halve(e)
	}
	l.shrink()
}

// halve forgets the older half of a stream, up to the end of a line.
func (l *Log) halve(e *Entry) {
	before := e.kept
	half, n := e.kept/2, 0
	whole := true // the dropped pieces end with a line
	for n < len(e.pieces)-1 && e.kept-len(e.pieces[n]) >= half {
		e.kept -= len(e.pieces[n])
		whole = strings.HasSuffix(e.pieces[n], "\n")
		n++
	}
	if n == 0 { // one long piece
		cut := len(e.pieces[0]) / 2
		e.pieces[0] = strings.Clone(e.pieces[0][cut:])
		e.kept -= cut
		whole = false
	}
	rest := e.pieces[n:]
	for i, p := range rest {
		if whole {
			break
		}
		if end := strings.IndexByte(p, '\n'); end >= 0 {
			for _, q := range rest[:i] {
				e.kept -= len(q)
			}
			rest = rest[i:]
			rest[0] = p[end+1:]
			e.kept -= end + 1
			whole = true
		}
	}
	e.pieces = slices.Clone(rest)
	l.bytes -= before - e.kept
	e.Trimmed = true
}

// shrink forgets the oldest bodies, and the oldest entries, past the bounds. It
// costs O(1), except for a search that each megabyte of text pays for.
func (l *Log) shrink() {
	if l.bytes > max(maxBytes, l.enough) {
		l.free()
		l.enough = l.bytes + maxBytes/32
	}
	for len(l.entries) > maxEntries {
		at := 0
		for at < len(l.entries)-1 && l.entries[at].Live() {
			at++
		}
		l.gone(l.entries[at])
		// Few are live, so what is before it moves up, not the many behind it.
		copy(l.entries[1:at+1], l.entries[:at])
		l.entries[0] = nil
		l.entries = l.entries[1:]
	}
}

// free forgets bodies until enough memory is free: first those of the oldest requests, then the older halves of the
// longest streams that continue.
func (l *Log) free() {
	const goal = maxBytes - maxBytes/8
	for i, e := range l.entries {
		if l.bytes <= goal {
			return
		}
		// The newest entry keeps its text: somebody is looking at it.
		if e.Live() || i == len(l.entries)-1 {
			continue
		}
		if e.kept > 0 {
			l.bytes -= e.kept
			e.pieces, e.kept, e.Trimmed = nil, 0, true
		}
		if len(e.Body) > smallBody {
			l.bytes -= len(e.Body)
			e.Body, e.Bodyless = "", true
		}
	}
	var streams []*Entry
	for _, e := range l.entries {
		if e.Live() && e.Info.Verb == "watch" {
			streams = append(streams, e)
		}
	}
	for l.bytes > goal && len(streams) > 0 {
		e := slices.MaxFunc(streams, func(a, b *Entry) int { return a.kept - b.kept })
		if e.kept < maxStream/64 {
			return // the memory is taken by other text
		}
		l.halve(e)
	}
}

// Len returns the number of entries.
func (l *Log) Len() int { return len(l.entries) }

// Entries returns all entries, oldest first. The slice is the Log's own.
func (l *Log) Entries() []*Entry { return l.entries }

// Get returns the entry of that tap id, nil if it is not known.
func (l *Log) Get(id int) *Entry { return l.byID[id] }

// Clear forgets everything but what is still going on.
func (l *Log) Clear() {
	kept := l.entries[:0]
	for _, e := range l.entries {
		if e.Live() {
			kept = append(kept, e)
			continue
		}
		l.gone(e)
	}
	clear(l.entries[len(kept):])
	l.entries = kept
}
