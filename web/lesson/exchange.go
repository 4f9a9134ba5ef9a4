package lesson

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/tap"
)

// An Exchange is a request and its answer so far. The moments made, answered and ended are positions in the order in
// which things happened (see Log); 0 means not yet.
type Exchange struct {
	ID            int
	Method, Path  string
	Query         url.Values
	RequestHeader []tap.Field
	RequestBody   string
	Origin        string

	Status int
	Header []tap.Field
	Failed bool

	made, answered, ended int
	// madeAt and answeredAt are when.
	madeAt, answeredAt time.Time

	// stream tells a watch that was answered 200: its body is a row of events.
	stream bool
	pieces []string // of the body, which others keep too
	length int      // of all of them
	rest   string   // of a stream: the line that is not whole yet
	events []any    // of *Event

	parsed     any
	parsedBody bool
}

// An Event is one event of a watch.
type Event struct {
	raw     string
	arrived int
	value   map[string]any
}

func newExchange(method, target string, header []tap.Field, body string, now int) *Exchange {
	x := &Exchange{Method: strings.ToUpper(method), RequestHeader: header, RequestBody: body, made: now}
	u, err := url.Parse(target)
	if err != nil {
		x.Path = target
		return x
	}
	x.Path, x.Query = u.Path, u.Query()
	return x
}

func (x *Exchange) head(status int, header []tap.Field, now int) {
	x.Status, x.Header, x.answered = status, header, now
	x.stream = status == 200 && (isWatch(x.Query) || strings.Contains(x.Path, "/watch/"))
}

// chunk takes a part of the answer's body. Every event in it gets a moment of
// its own; the last one is returned.
func (x *Exchange) chunk(s string, now int) int {
	if !x.stream {
		x.pieces, x.length = append(x.pieces, s), x.length+len(s)
		return now
	}
	for {
		line, after, whole := strings.Cut(s, "\n")
		if !whole {
			x.rest += s
			return now
		}
		if line = x.rest + line; strings.TrimSpace(line) != "" {
			now++
			x.events = append(x.events, &Event{raw: line, arrived: now})
		}
		x.rest, s = "", after
	}
}

// body returns the answer's body so far.
func (x *Exchange) body() string {
	if len(x.pieces) > 1 {
		x.pieces = []string{strings.Join(x.pieces, "")}
	}
	if len(x.pieces) == 0 {
		return ""
	}
	return x.pieces[0]
}

func (x *Exchange) end(failed bool, now int) {
	x.Failed, x.ended = failed, now
}

// complete reports whether a check may look at the answer: a stream once it
// has begun, anything else when it is whole.
func (x *Exchange) complete() bool {
	if x.stream {
		return x.answered > 0
	}
	return x.ended > 0 && !x.Failed
}

// endsSoon reports whether the exchange is a watch that is open and ends by itself, as was asked for.
func (x *Exchange) endsSoon() bool { return x.stream && x.ended == 0 && x.Query.Has("timeoutSeconds") }

// position returns when the exchange was complete.
func (x *Exchange) position() int {
	if x.stream {
		return x.answered
	}
	return x.ended
}

// size returns about how many bytes the exchange keeps.
func (x *Exchange) size() int {
	n := x.length + len(x.RequestBody) + 512
	for _, e := range x.events {
		n += len(e.(*Event).raw) + 64
	}
	return n
}

// field gives checks and references request and response.
func (x *Exchange) field(name string) (any, bool) {
	switch name {
	case "request":
		return requestView{x}, true
	case "response":
		return responseView{x: x}, x.answered > 0
	}
	return nil, false
}

// exchangeAt is an exchange as it was at a moment: a stream has the events that
// had arrived by then.
type exchangeAt struct {
	*Exchange
	moment int
}

func (x exchangeAt) field(name string) (any, bool) {
	if name == "response" {
		return responseView{x.Exchange, x.moment}, x.answered > 0
	}
	return x.Exchange.field(name)
}

type requestView struct{ x *Exchange }

func (v requestView) field(name string) (any, bool) {
	switch name {
	case "method":
		return v.x.Method, true
	case "path":
		return v.x.Path, true
	case "query":
		return queryView(v.x.Query), true
	case "headers":
		return headerView(v.x.RequestHeader), true
	case "origin":
		return v.x.Origin, true
	case "body":
		return parseJSON(v.x.RequestBody)
	}
	return nil, false
}

// A responseView is an answer, up to a moment unless that is 0.
type responseView struct {
	x      *Exchange
	moment int
}

func (v responseView) field(name string) (any, bool) {
	x := v.x
	switch name {
	case "status":
		return x.Status, true
	case "headers":
		return headerView(x.Header), true
	case "events":
		return x.eventsBefore(v.moment), x.stream
	case "ended":
		return x.ended > 0, true
	case "seconds":
		return json.Number(strconv.FormatFloat(x.answeredAt.Sub(x.madeAt).Seconds(), 'f', 2, 64)), true
	case "bytes":
		return byteView(x.body()), !x.stream && x.ended > 0
	case "body":
		if x.stream || x.ended == 0 {
			return nil, false
		}
		if !x.parsedBody {
			x.parsed, _ = parseJSON(x.body())
			x.parsedBody = true
		}
		return x.parsed, x.parsed != nil
	}
	return nil, false
}

// eventsBefore returns the events that arrived before a moment; 0: all.
func (x *Exchange) eventsBefore(moment int) []any {
	n := len(x.events)
	for moment > 0 && n > 0 && x.events[n-1].(*Event).arrived > moment {
		n--
	}
	return x.events[:n]
}

// A byteView are bytes in an answer. As text they are pairs of hexadecimal digits.
type byteView []byte

// String writes the bytes as 6b 38 73 00.
func (b byteView) String() string { return fmt.Sprintf("% x", []byte(b)) }

type queryView url.Values

func (q queryView) field(name string) (any, bool) {
	v, ok := q[name]
	if !ok || len(v) == 0 {
		return nil, false
	}
	return v[0], true
}

type headerView []tap.Field

func (h headerView) field(name string) (any, bool) {
	var values headerValues
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			values = append(values, f.Value)
		}
	}
	return values, len(values) > 0
}

// headerValues are the values of a header, which may be there several times: the first,
// unless an index, [*] or length asks for others.
type headerValues []any

// Type returns the event's type: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.
func (e *Event) Type() string {
	v, _ := e.field("type")
	s, _ := v.(string)
	return s
}

func (e *Event) field(name string) (any, bool) {
	if e.value == nil {
		v, _ := parseJSON(e.raw)
		if e.value, _ = v.(map[string]any); e.value == nil {
			e.value = map[string]any{}
		}
	}
	v, ok := e.value[name]
	return v, ok
}

// parseJSON decodes one JSON value, keeping numbers as they are written.
func parseJSON(s string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, false
	}
	return v, true
}
