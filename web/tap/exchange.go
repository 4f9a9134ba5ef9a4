package tap

import (
	"encoding/json"
	"strings"
	"time"
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

// An Exchange is one request of the page and its answer so far.
type Exchange struct {
	ID      int
	Method  string
	URL     string
	Header  []Field
	Body    string
	Origin  string
	Place   string // the cluster that it was made of
	Info    Info
	Started time.Time

	Phase     Phase
	Status    int
	ResHeader []Field
	// Source says where the answer comes from, and which revisions the request has made: as the answer says, and
	// before it, as the revisions stream does. Its Server is -1 if that is not known.
	Source   Source
	Answered time.Time // when the answer began
	Ended    time.Time
	Err      string
	Size     int  // bytes of the answer so far
	Binary   bool // the answer is no text
	Events   int  // lines of a watch's answer
	Trimmed  bool // the beginning, or all, of the answer is no longer kept
	Changed  int  // counts up with every change: for who draws it
	Bodyless bool // the body of the request is no longer kept
	Kept     bool // the request is from before the page was loaded
	Gone     bool // the log no longer has it

	// ErrorCode is the code of the ERROR event that a watch ended with, or 0.
	// HistoryFrom is where the history begins since the request.
	ErrorCode   int
	HistoryFrom int64

	// Lines are those of a watch's answer that are kept, the oldest first.
	Lines []*Line
	// When are the moments at which it was made, answered and over: places in the order of all that a log has seen; 0:
	// not yet.
	When struct{ Made, Answered, Ended int }

	pieces []string // of the answer; of a watch's, the line that is not whole yet
	kept   int      // bytes of lines and pieces
	held   int      // how many need it: see Hold

	parsed struct {
		is   bool
		json any
	}
	list *listed
}

type listed struct {
	ListAnswer
	err error
}

// A Line is one line of a watch's answer: an event.
type Line struct {
	Text string // as it came
	// WatchEvent is what it says. No Type: it is no event.
	WatchEvent
	Num    int // among the lines of its answer, from 1
	Moment int // when it came, as in Exchange.When

	value map[string]any
}

// JSON returns the event, with numbers as they are written; empty if it is no event.
func (l *Line) JSON() map[string]any {
	if l.value == nil {
		v, _ := ParseJSON(l.Text)
		if l.value, _ = v.(map[string]any); l.value == nil {
			l.value = map[string]any{}
		}
	}
	return l.value
}

// ParseJSON decodes one JSON value, with numbers as they are written.
func ParseJSON(s string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, false
	}
	return v, true
}

// Live reports whether an answer is still to come.
func (x *Exchange) Live() bool { return x.Phase == Pending || x.Phase == Streaming }

// Streams reports whether the answer is a row of events, which come as Lines.
func (x *Exchange) Streams() bool { return x.Info.Verb == "watch" && x.Status == 200 && !x.Binary }

// Hold has the log keep the exchange as long as it can, until Release: something needs it.
func (x *Exchange) Hold() { x.held++ }

// Release takes a Hold back.
func (x *Exchange) Release() { x.held-- }

// Text returns the answer's body so far, as far as it is kept.
func (x *Exchange) Text() string {
	if len(x.Lines) > 0 {
		return x.After(0)
	}
	if len(x.pieces) > 1 {
		x.pieces = []string{strings.Join(x.pieces, "")}
	}
	if len(x.pieces) == 0 {
		return ""
	}
	return x.pieces[0]
}

// Head returns the first n bytes of what is kept of the answer's body, or all of it. It costs what it returns.
func (x *Exchange) Head(n int) string {
	var b strings.Builder
	add := func(s string) bool {
		b.WriteString(s[:min(len(s), n-b.Len())])
		return b.Len() < n
	}
	for _, l := range x.Lines {
		if !add(l.Text) {
			return b.String()
		}
	}
	for _, p := range x.pieces {
		if !add(p) {
			break
		}
	}
	return b.String()
}

// Len returns how many bytes of the answer are kept.
func (x *Exchange) Len() int { return x.kept }

// After returns the text behind the first n bytes of all that there has been, as far as it is kept. It costs what it
// returns.
func (x *Exchange) After(n int) string {
	want := min(x.Size-n, x.kept)
	if want <= 0 {
		return ""
	}
	// A few of the last pieces are enough, so a long stream is not joined each time.
	piece, line, have := len(x.pieces), len(x.Lines), 0
	for ; piece > 0 && have < want; piece-- {
		have += len(x.pieces[piece-1])
	}
	for ; line > 0 && have < want; line-- {
		have += len(x.Lines[line-1].Text)
	}
	var b strings.Builder
	b.Grow(have)
	for _, l := range x.Lines[line:] {
		b.WriteString(l.Text)
	}
	for _, p := range x.pieces[piece:] {
		b.WriteString(p)
	}
	return b.String()[have-want:]
}

// LinesAfter returns the lines that came after the one with that number, as far as they are kept.
func (x *Exchange) LinesAfter(num int) []*Line {
	if len(x.Lines) == 0 {
		return nil
	}
	return x.Lines[min(len(x.Lines), max(0, num+1-x.Lines[0].Num)):]
}

// LastError returns the ERROR event that a watch's answer ends with so far; nil if it does not.
func (x *Exchange) LastError() *Line {
	if n := len(x.Lines); n > 0 && x.Lines[n-1].Type == "ERROR" {
		return x.Lines[n-1]
	}
	return nil
}

// JSON returns the whole answer's value, with numbers as they are written; nil if it is not JSON. It is decoded once.
func (x *Exchange) JSON() any {
	if x.Live() || x.Streams() {
		return nil
	}
	if !x.parsed.is {
		x.parsed.is = true
		x.parsed.json, _ = ParseJSON(x.Text())
	}
	return x.parsed.json
}

// List returns what the answer says as a list. One that is whole is read once; pause is as in ParseLongList.
func (x *Exchange) List(pause func()) (ListAnswer, error) {
	if l := x.list; l != nil {
		return l.ListAnswer, l.err
	}
	a, err := ParseLongList(x.Text(), pause)
	if !x.Live() {
		x.list = &listed{a, err}
	}
	return a, err
}

// Listed reports whether the answer has been read as a list.
func (x *Exchange) Listed() bool { return x.list != nil }

// Get returns the first header of that name in the answer.
func (x *Exchange) Get(name string) string { return Get(x.ResHeader, name) }

// Command returns the command of kubectl that made the request, as it says itself; empty if none did.
func (x *Exchange) Command() string { return Get(x.Header, "Kubectl-Command") }

// Duration returns how long the answer took, or has taken until now.
func (x *Exchange) Duration(now time.Time) time.Duration {
	if !x.Ended.IsZero() {
		now = x.Ended
	}
	return max(0, now.Sub(x.Started))
}

// lineSize is about what a Line takes beside its text, in bytes.
const lineSize = 200

// cost returns about how many bytes the exchange keeps.
func (x *Exchange) cost() int { return len(x.Body) + x.kept + lineSize*len(x.Lines) }

// take takes a part of the answer, and returns the moment of the last line in it. Each byte is looked at once.
func (x *Exchange) take(s string, now int) int {
	x.Size += len(s)
	x.kept += len(s)
	if !x.Streams() {
		x.pieces = append(x.pieces, s)
		return now
	}
	for {
		end := strings.IndexByte(s, '\n') + 1
		if end == 0 {
			break
		}
		now = x.line(s[:end], now)
		s = s[end:]
	}
	if s != "" {
		x.pieces = append(x.pieces, s)
	}
	return now
}

// line takes the end of a line, and returns its moment. An empty line belongs to the next one.
func (x *Exchange) line(end string, now int) int {
	if len(x.pieces) > 0 {
		end = strings.Join(append(x.pieces, end), "")
		x.pieces = nil
	}
	words := strings.TrimSpace(end)
	if words == "" {
		x.pieces = append(x.pieces, end)
		return now
	}
	x.Events++
	l := &Line{Text: end, Num: x.Events, Moment: now + 1}
	l.WatchEvent, _ = ParseWatchEvent(words)
	x.Lines = append(x.Lines, l)
	return now + 1
}

// halve forgets the older half of a stream. It costs what is kept, so a stream that grows pays it with each byte once.
func (x *Exchange) halve() {
	x.Trimmed = true
	goal, n := x.cost()/2, 0
	for ; n < len(x.Lines) && x.cost()-n*lineSize > goal; n++ {
		x.kept -= len(x.Lines[n].Text)
	}
	x.Lines = append([]*Line(nil), x.Lines[n:]...)
	for n = 0; n < len(x.pieces)-1 && x.cost() > goal; n++ {
		x.kept -= len(x.pieces[n])
	}
	x.pieces = append([]string(nil), x.pieces[n:]...)
	if over := x.cost() - goal; over > 0 && len(x.pieces) == 1 && len(x.Lines) == 0 { // one long piece
		over = min(over, len(x.pieces[0]))
		x.pieces[0] = strings.Clone(x.pieces[0][over:])
		x.kept -= over
	}
}

// forget forgets the answer's body.
func (x *Exchange) forget() {
	x.pieces, x.Lines, x.kept, x.parsed.json, x.Trimmed = nil, nil, 0, nil, true
}
