package app

import (
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/tap"
)

// mostFields is how many fields an event has at most.
const mostFields = 9

// unpackEvents calls each with every event of a batch, as crossing.js packs them, and the bodies beside it. It leaves
// out what is no event. An event's texts are copies, so that keeping one does not keep the batch.
func unpackEvents(batch, bodies string, each func(tap.Event)) {
	for more := true; more; {
		var line string
		line, batch, more = strings.Cut(batch, "\x1e")
		if e, ok := unpackEvent(strings.Clone(line), &bodies); ok {
			each(e)
		}
	}
}

func unpackEvent(line string, bodies *string) (tap.Event, bool) {
	var fields [mostFields]string
	n := 0
	for more := true; more; n++ {
		if n == mostFields {
			return tap.Event{}, false
		}
		fields[n], line, more = strings.Cut(line, "\x1f")
	}
	if n < 3 {
		return tap.Event{}, false
	}
	id, err := strconv.Atoi(fields[1])
	if err != nil {
		return tap.Event{}, false
	}
	us, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return tap.Event{}, false
	}
	e := tap.Event{ID: id, Time: time.UnixMicro(us)}
	// body takes the next bytes, as many as a field says.
	body := func(length string) string {
		n, err := strconv.Atoi(length)
		if err != nil || n < 0 || n > len(*bodies) {
			return ""
		}
		taken := strings.Clone((*bodies)[:n])
		*bodies = (*bodies)[n:]
		return taken
	}
	want := 0
	switch fields[0] {
	case "request":
		e.Type, want = tap.Request, 9
		e.Method, e.URL, e.Header, e.Origin, e.Place = fields[3], fields[4], unpackFields(fields[5]), fields[7], fields[8]
		e.Body = body(fields[6])
	case "head":
		e.Type, want = tap.Head, 6
		e.Status, _ = strconv.Atoi(fields[3])
		e.Header, e.Source = unpackFields(fields[4]), tap.ParseSource(fields[5])
	case "chunk":
		e.Type, want = tap.Chunk, 4
		e.Text = body(fields[3])
	case "end":
		e.Type, want = tap.End, 3
	case "fail":
		e.Type, want = tap.Fail, 5
		e.Err, e.Aborted = fields[3], fields[4] != ""
	}
	return e, n == want
}

// unpackFields reads header fields, as crossing.js packs them.
func unpackFields(s string) []tap.Field {
	if s == "" {
		return nil
	}
	out := make([]tap.Field, 0, strings.Count(s, "\x1d")+1)
	for more := true; more; {
		var l string
		l, s, more = strings.Cut(s, "\x1d")
		name, value, _ := strings.Cut(l, "\x1c")
		out = append(out, tap.Field{Name: name, Value: value})
	}
	return out
}
