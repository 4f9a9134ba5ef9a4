package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
)

// A player answers as a recording says, one request after the other.
type player struct {
	mu       sync.Mutex
	scenario *Scenario
	next     int
	change   func(*Step, *Outcome) // what it changes in an answer; may be nil
}

func (p *player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	st := p.step()
	if st == nil || st.Request.Method != r.Method {
		http.Error(w, "not in the recording", http.StatusTeapot)
		return
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	out := p.outcome(st)
	for h, v := range out.Response.Headers {
		for _, one := range asList(v) {
			w.Header().Add(h, one.(string))
		}
	}
	w.WriteHeader(out.Response.Status)
	switch {
	case st.Do == doWatchOpen && out.Response.Status == http.StatusOK:
		p.stream(w, r, st)
	case out.Response.Text != nil:
		_, _ = io.WriteString(w, *out.Response.Text)
	case out.Response.Binary != nil:
		_, _ = w.Write(out.Response.Binary)
	case out.Response.Body != nil:
		_ = json.NewEncoder(w).Encode(out.Response.Body)
	}
}

func (p *player) step() *Step {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ; p.next < len(p.scenario.Steps); p.next++ {
		if st := p.scenario.Steps[p.next]; st.Request != nil {
			p.next++
			return st
		}
	}
	return nil
}

func (p *player) outcome(st *Step) *Outcome {
	out := st.Outcome
	if out.Response != nil {
		response := *out.Response
		out.Response = &response
	}
	if p.change != nil {
		p.change(st, &out)
	}
	return &out
}

// stream sends all recorded events of this watch.
func (p *player) stream(w http.ResponseWriter, r *http.Request, open *Step) {
	w.(http.Flusher).Flush()
	for _, st := range p.scenario.Steps {
		if st.Watch != open.ID {
			continue
		}
		switch st.Do {
		case doWatchRead, doWatchEOF:
			for _, e := range p.outcome(st).Events {
				_ = json.NewEncoder(w).Encode(e)
			}
			w.(http.Flusher).Flush()
			if st.Do == doWatchEOF {
				return
			}
		}
	}
	<-r.Context().Done()
}

func asList(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}

// complete puts the selected and captured parts back into an answer, so that a recording that has
// only parts can be played too.
func complete(t *testing.T, s *Scenario) {
	for _, st := range s.Steps {
		for i, e := range st.Events {
			if len(st.Compare.Only) > 0 {
				st.Events[i] = rebuild(t, nil, e.(map[string]any))
			}
		}
		if st.Response == nil || st.Response.Selected == nil {
			continue
		}
		st.Response.Body = rebuild(t, st.Response.Body, st.Response.Selected)
		for name, path := range st.Capture {
			st.Response.Body = rebuild(t, st.Response.Body, map[string]any{path: st.Captured[name]})
		}
	}
}

func rebuild(t *testing.T, v any, parts map[string]any) any {
	for _, path := range sorted(parts) {
		places, err := parsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		if parts[path] != nothing {
			v = put(t, v, places, parts[path])
		}
	}
	return v
}

func put(t *testing.T, v any, places []pathStep, part any) any {
	if len(places) == 0 {
		return part
	}
	switch p := places[0]; p.kind {
	case atKey:
		m, _ := v.(map[string]any)
		if m == nil {
			m = map[string]any{}
		}
		m[p.name] = put(t, m[p.name], places[1:], part)
		return m
	case atAll, atIndex:
		list, _ := v.([]any)
		if list == nil {
			list = []any{}
		}
		each := []any{part}
		if p.kind == atAll {
			each, _ = part.([]any)
		}
		for i, one := range each {
			i += p.index
			for len(list) <= i {
				list = append(list, nil)
			}
			list[i] = put(t, list[i], places[1:], one)
		}
		return list
	}
	t.Fatalf("cannot rebuild %v", places)
	return nil
}

// TestPlayedRecordings replays recordings against a server that answers as the recorded one did,
// and then against ones that differ in one thing.
func TestPlayedRecordings(t *testing.T) {
	names := []string{"crud-configmap-lifecycle", "crud-malformed-body", "health-endpoints", "paging-basic",
		"paging-expired", "list-order", "selectors-label-sets", "watch-single-name", "watch-delete-collection",
		"watch-too-old"}
	load := func(t *testing.T, name string) (*Scenario, *Scenario) {
		var both [2]*Scenario
		for i := range both {
			b, err := os.ReadFile("testdata/recordings/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			if both[i], err = Parse(b); err != nil {
				t.Fatal(err)
			}
		}
		complete(t, both[1])
		return both[0], both[1]
	}
	replay := func(t *testing.T, name string, change func(*Step, *Outcome)) []Difference {
		s, played := load(t, name)
		server := httptest.NewServer(&player{scenario: played, change: change})
		defer server.Close()
		defer server.CloseClientConnections()
		return Replay(t.Context(), s, Server{URL: server.URL,
			Compact: func(context.Context, *http.Client) error { return nil }})
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := replay(t, name, nil); len(d) > 0 {
				t.Errorf("differs from itself: %v", d)
			}
			last := ""
			s, _ := load(t, name)
			for _, st := range s.Steps {
				if st.Do == doRequest {
					last = st.ID
				}
			}
			if d := replay(t, name, func(st *Step, o *Outcome) {
				if st.ID == last {
					o.Response.Status = 599
				}
			}); !mentions(d, "step "+last+": status: want ") {
				t.Errorf("the status 599 at step %s went unnoticed: %v", last, d)
			}
			if d := replay(t, name, func(st *Step, o *Outcome) {
				if len(o.Events) > 0 {
					o.Events = append([]any{map[string]any{"type": "ERROR"}}, o.Events[1:]...)
				}
			}); strings.HasPrefix(name, "watch-") && !mentions(d, "event 0") {
				t.Errorf("an ERROR in place of an event went unnoticed: %v", d)
			}
		})
	}
}

func mentions(d []Difference, text string) bool {
	return strings.Contains(fmt.Sprint(d), text)
}
