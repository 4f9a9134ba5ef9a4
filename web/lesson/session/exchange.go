package session

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// complete reports whether a check may look at the answer: a stream once it
// has begun, anything else when it is whole.
func complete(x *tap.Exchange) bool {
	return x.Streams() || x.Phase == tap.Done
}

// endsSoon reports whether the exchange is a watch that is open and ends by itself, as was asked for.
func endsSoon(x *tap.Exchange) bool {
	return x.Streams() && x.When.Ended == 0 && x.Info.Query.Has("timeoutSeconds")
}

// position returns when the exchange was complete.
func position(x *tap.Exchange) int {
	if x.Streams() {
		return x.When.Answered
	}
	return x.When.Ended
}

// An exchange gives checks and references request and response, as they were at a moment unless that is 0: a stream has
// the events that had arrived by then.
type exchange struct {
	*tap.Exchange
	moment int
}

func (x exchange) Field(name string) (any, bool) {
	switch name {
	case "request":
		return requestOf(x), true
	case "response":
		return responseOf(x), x.When.Answered > 0
	}
	return nil, false
}

type requestOf exchange

func (x requestOf) Field(name string) (any, bool) {
	switch name {
	case "method":
		return x.Method, true
	case "path":
		return x.Info.Path, true
	case "query":
		return queryView(x.Info.Query), true
	case "headers":
		return headerView(x.Header), true
	case "accepts":
		return mediaTypes(x.Header), true
	case "origin":
		return x.Origin, true
	case "body":
		return tap.ParseJSON(x.Body)
	}
	return nil, false
}

// mediaTypes returns those that the headers Accept name, in their order, without spaces and without q.
func mediaTypes(header []tap.Field) []any {
	var out []any
	for _, f := range header {
		if !strings.EqualFold(f.Name, "Accept") {
			continue
		}
		for _, one := range strings.Split(f.Value, ",") {
			parts := strings.Split(strings.ReplaceAll(one, " ", ""), ";")
			parts = slices.DeleteFunc(parts, func(p string) bool { return strings.HasPrefix(p, "q=") })
			out = append(out, strings.Join(parts, ";"))
		}
	}
	return out
}

type responseOf exchange

func (x responseOf) Field(name string) (any, bool) {
	switch name {
	case "status":
		return x.Status, true
	case "headers":
		return headerView(x.ResHeader), true
	case "events":
		return x.events(), x.Streams()
	case "ended":
		return !x.Live(), true
	case "seconds":
		return json.Number(strconv.FormatFloat(x.Answered.Sub(x.Started).Seconds(), 'f', 2, 64)), true
	case "bytes":
		return format.Bytes(x.Text()), !x.Streams() && !x.Live()
	case "body":
		v := asObjects(x.JSON(), x.Info.Verb == "list" || x.Info.Verb == "deletecollection")
		return v, v != nil
	}
	return nil, false
}

// events returns those that had arrived by the moment.
func (x responseOf) events() []any {
	out := make([]any, 0, len(x.Lines))
	for _, l := range x.Lines {
		if x.moment > 0 && l.Moment > x.moment {
			break
		}
		out = append(out, event{l})
	}
	return out
}

// An event is one event of a watch.
type event struct{ *tap.Line }

func (e event) Field(name string) (any, bool) {
	v, ok := e.JSON()[name]
	return asObjects(v, false), ok
}

type queryView url.Values

func (q queryView) Field(name string) (any, bool) {
	v, ok := q[name]
	if !ok || len(v) == 0 {
		return nil, false
	}
	return v[0], true
}

type headerView []tap.Field

func (h headerView) Field(name string) (any, bool) {
	var values format.HeaderValues
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			values = append(values, f.Value)
		}
	}
	return values, len(values) > 0
}
