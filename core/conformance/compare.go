package conformance

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A Difference is a value in which a server differs from the recorded one.
type Difference struct {
	Step string // id of the step; empty for the scenario as a whole
	Path string // where in the step's outcome
	Want string
	Got  string
	Note string // instead of Want and Got, or what the server said about it
}

func (d Difference) String() string {
	var b strings.Builder
	if d.Step != "" {
		fmt.Fprintf(&b, "step %s: ", d.Step)
	}
	if d.Path != "" {
		fmt.Fprintf(&b, "%s: ", d.Path)
	}
	if d.Want != "" || d.Got != "" {
		fmt.Fprintf(&b, "want %s, got %s", d.Want, d.Got)
		if d.Note != "" {
			fmt.Fprintf(&b, " (%s)", d.Note)
		}
		return b.String()
	}
	return b.String() + d.Note
}

// Compare returns how the outcomes in got, of the first len(got) steps, differ
// from the recorded ones.
func Compare(s *Scenario, got []Outcome) []Difference {
	steps := s.Steps[:min(len(got), len(s.Steps))]
	want := make([]Outcome, len(steps))
	for i, st := range steps {
		want[i] = st.Outcome
	}
	// Both normalizers cover the same steps, so that ranks mean the same in both.
	lw, lg := newNormalizer(s.Steps, want), newNormalizer(s.Steps, got)
	var all []Difference
	for i, st := range steps {
		c := &comparison{step: st.ID}
		if w, g := want[i].Response, got[i].Response; w != nil && g != nil {
			// Both are normalized even if they are not compared: uids are numbered on the way.
			shownWant, shownGot := lw.response(w), lg.response(g)
			if w.Status != g.Status {
				all = append(all, Difference{Step: st.ID, Path: "status", Want: strconv.Itoa(w.Status), Got: strconv.Itoa(g.Status),
					Note: explanation(g)})
				continue
			}
			c.values("", shownWant, shownGot)
		} else if (w == nil) != (g == nil) {
			c.add("", present(w != nil, "an answer"), present(g != nil, "an answer"))
		}
		if st.Do == doWatchRead || st.Do == doWatchEOF {
			c.events(st, lw, lg, want[i].Events, got[i].Events)
		}
		all = append(all, c.found...)
	}
	return all
}

type comparison struct {
	step  string
	found []Difference
}

func (c *comparison) add(path, want, got string) {
	c.found = append(c.found, Difference{Step: c.step, Path: path, Want: want, Got: got})
}

func (c *comparison) events(st *Step, lw, lg *normalizer, want, got []any) {
	picked := len(st.Compare.Only)+len(st.Compare.Keys) > 0
	for i := range max(len(want), len(got)) {
		at := fmt.Sprintf("event %d", i)
		switch {
		case i >= len(got):
			c.add(at, titleOf(want[i]), "nothing")
		case i >= len(want):
			c.add(at, "nothing", titleOf(got[i]))
		default:
			c.values(at, lw.event(want[i], picked), lg.event(got[i], picked))
		}
	}
}

// values compares two trees and adds a difference for every leaf that is not
// the same.
func (c *comparison) values(path string, want, got any) {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			break
		}
		for _, k := range sorted(union(want, got)) {
			at := join(path, k)
			w, inWant := want[k]
			g, inGot := got[k]
			if inWant && inGot {
				c.values(at, w, g)
			} else {
				c.add(at, present(inWant, brief(w)), present(inGot, brief(g)))
			}
		}
		return
	case []any:
		got, ok := got.([]any)
		if !ok {
			break
		}
		if len(want) != len(got) {
			c.add(path, plural(len(want)), plural(len(got)))
		}
		for i := range min(len(want), len(got)) {
			c.values(fmt.Sprintf("%s[%d]", path, i), want[i], got[i])
		}
		return
	case json.Number:
		if got, ok := got.(json.Number); ok && sameNumber(want, got) {
			return
		}
	default: // string, bool, nil
		switch got.(type) {
		case map[string]any, []any:
		default:
			if want == got {
				return
			}
		}
	}
	c.add(path, brief(want), brief(got))
}

func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	i, err := a.Int64()
	j, err2 := b.Int64()
	if err == nil && err2 == nil {
		return i == j
	}
	x, err := a.Float64()
	y, err2 := b.Float64()
	return err == nil && err2 == nil && x == y
}

// explanation returns the message of an unexpected status.
func explanation(p *Response) string {
	if m, ok := lookup(p.Body, "message"); ok {
		return brief(m)
	}
	if p.Text != nil {
		return brief(strings.TrimSpace(*p.Text))
	}
	return ""
}

func titleOf(event any) string {
	typ, _ := lookup(event, "type")
	if name, ok := lookup(event, "object.metadata.name"); ok {
		return literal(typ) + " " + literal(name)
	}
	return brief(event)
}

func union(a, b map[string]any) map[string]bool {
	out := map[string]bool{}
	for k := range a {
		out[k] = true
	}
	for k := range b {
		out[k] = true
	}
	return out
}

func join(path, key string) string {
	switch {
	case path == "":
		return key
	case strings.ContainsAny(key, ".[/"):
		return path + `["` + key + `"]`
	}
	return path + "." + key
}

func present(is bool, what string) string {
	if is {
		return what
	}
	return "nothing"
}

func plural(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// brief returns v as JSON, cut to one line.
func brief(v any) string {
	s := literal(v)
	if t, ok := v.(string); ok {
		s = strconv.Quote(t)
	}
	if len(s) > 240 {
		s = strings.ToValidUTF8(s[:240], "") + "…"
	}
	return s
}
