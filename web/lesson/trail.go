package lesson

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/tap"
)

// maxTrail bounds how many requests a trail has, maxReason how much it keeps of an answer that refuses one.
const (
	maxTrail  = 400
	maxReason = 4096
)

// A trail is what was asked of the API lately, whoever asked: what may have made a run another one than a step expects.
// The Log has only what fits a row.
type trail struct{ acts []*act }

// An act is a request.
type act struct {
	id, made             int
	method, path, origin string
	query                url.Values
	body                 string
	status               int
	revision             int64  // the last that it wrote; 0: none, or the server did not say
	reason               string // the answer's body, of a refusal
}

// observe takes a tap event.
func (t *trail) observe(ev tap.Event, now int) {
	if ev.Type == tap.Request {
		a := &act{id: ev.ID, made: now, method: strings.ToUpper(ev.Method), path: ev.URL, origin: ev.Origin, body: ev.Body}
		if u, err := url.Parse(ev.URL); err == nil {
			a.path, a.query = u.Path, u.Query()
		}
		if len(t.acts) == maxTrail {
			t.acts = slices.Delete(t.acts, 0, maxTrail/4)
		}
		t.acts = append(t.acts, a)
		return
	}
	at := slices.IndexFunc(t.acts, func(a *act) bool { return a.id == ev.ID })
	if at < 0 {
		return
	}
	switch a := t.acts[at]; {
	case ev.Type == tap.Head:
		a.status = ev.Status
		if s := ev.Source; s != nil && len(s.Wrote) > 0 {
			a.revision = s.Wrote[len(s.Wrote)-1].Last
		}
	case a.status >= 400 && len(a.reason) < maxReason:
		a.reason += ev.Text
	}
}

// wrote reports whether the act has changed something.
func (a *act) wrote() bool {
	switch a.method {
	case "POST", "PUT", "PATCH", "DELETE":
		return a.status >= 200 && a.status < 300 && a.query.Get("dryRun") == ""
	}
	return false
}

// same reports whether two acts are the same request.
func (a *act) same(b *act) bool {
	return a.method == b.method && a.path == b.path && a.body == b.body && a.query.Encode() == b.query.Encode()
}

// failure returns a field of the Status with which the act was refused.
func (a *act) failure(field string) string {
	v, _ := parseJSON(a.reason)
	found, _ := named(v, field)
	s, _ := found.(string)
	return s
}

// object returns what the act was about, as secrets/b, and whether that is one object.
func (a *act) object() (name string, one bool) {
	rest := strings.Split(strings.Trim(a.path, "/"), "/")
	switch {
	case len(rest) > 2 && rest[0] == "api":
		rest = rest[2:]
	case len(rest) > 3 && rest[0] == "apis":
		rest = rest[3:]
	}
	if len(rest) > 2 && rest[0] == "namespaces" {
		rest = rest[2:]
	}
	if a.method == "POST" && len(rest) == 1 {
		var body struct{ Metadata struct{ Name string } }
		if json.Unmarshal([]byte(a.body), &body) == nil && body.Metadata.Name != "" {
			rest = append(rest, body.Metadata.Name)
		}
	}
	return strings.Join(rest, "/"), len(rest) > 1
}

// by says who made the act.
func (a *act) by() string {
	switch a.origin {
	case "console":
		return "by you, in the console"
	case "lever":
		return "by you, with a lever"
	case string(FromLesson), string(FromSample):
		return "by a request of this lesson"
	case "page":
		return "by a script in this page"
	case "":
		return "by another client"
	}
	return "by you, in the " + a.origin
}

// levers are the acts of the control plane: what was so before, and what they did.
var levers = map[string][2]string{
	"compact":    {"the history is kept", "**compacted**"},
	"restart":    {"the API server keeps running", "**restarted**"},
	"disconnect": {"the watches stay open", "**all watches were cut**"},
	"advance":    {"the time of this step", "**the clock was moved**"},
	"snapshot":   {"this cluster", "**another state was restored**"},
	"reset":      {"this cluster", "**the cluster was reset**"},
	"undo":       {"what was written stays", "**undone**"},
	"relist":     {"the caches keep their events", "**the caches have listed again**"},
}

// difference says what an act that the lesson does not make has changed.
func (a *act) difference() Difference {
	d := Difference{Revision: a.revision}
	name, one := a.object()
	what := "`" + name + "`"
	if rest, ok := strings.CutPrefix(a.path, wellknown.ControlPlane); ok {
		words, known := levers[strings.Trim(rest, "/")]
		if !known {
			words = [2]string{"the settings of this step", "**other settings**"}
		}
		d.Expected, d.Found = words[0], words[1]
	} else {
		switch {
		case a.method == "DELETE" && one:
			d.Expected, d.Found = what+" is there", "**"+what+" is gone**: deleted"
		case a.method == "DELETE":
			d.Expected, d.Found = what+" are there", "**all "+what+" are gone**: deleted"
		case a.method == "POST":
			d.Expected, d.Found = "no "+what+" but the step's", "**"+what+"**: created"
		default:
			d.Expected, d.Found = what+" as the steps before left it", "**"+what+" is another**: changed"
		}
	}
	d.By = a.by()
	return d
}
