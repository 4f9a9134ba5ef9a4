package room

import (
	"fmt"
	"strings"
	"testing"
)

// take feeds lines, and fails at one that is not valid.
func take(t *testing.T, s *State, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if change, _ := s.Take(l); change == "" {
			t.Errorf("%s is no frame", l)
		}
	}
}

// names returns the members as "title:here", with their progress.
func names(s *State) string {
	var b strings.Builder
	for _, m := range s.Members {
		fmt.Fprintf(&b, "%s:%d", m.Title(), m.Here)
		if m.Progress != nil {
			fmt.Fprintf(&b, "@%d/%d", m.Progress.Step, m.Progress.Steps)
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

func TestState(t *testing.T) {
	var s State
	take(t, &s,
		`{"type":"HELLO","epoch":"1","you":"ada-x","role":"learner"}`,
		`{"type":"MEMBER","member":{"name":"teacher","displayName":"Teacher","role":"teacher","here":1}}`,
		`{"type":"MEMBER","member":{"name":"ada-x","displayName":"ada","role":"learner","here":2}}`,
		`{"type":"MEMBER","member":{"name":"bob","displayName":"","role":"learner","here":0}}`,
		`{"type":"PROGRESS","member":"ada-x","progress":{"lesson":"watch","step":3,"steps":8,"right":2,"wrong":1}}`,
		`{"type":"PROGRESS","member":"nobody","progress":{"lesson":"watch"}}`,
		`{"type":"SHOW","show":{"by":"teacher","view":{"revision":57,"selected":"rev-57","later":true}}}`,
		`{"type":"SYNCED"}`, `{"type":"LATER","member":4}`)
	if got := names(&s); got != "Teacher:1 ada:2@3/8 bob:0" {
		t.Errorf("members %s", got)
	}
	if all, here := s.Teachers(); all != 1 || here != 1 {
		t.Errorf("%d teachers, %d here", all, here)
	}
	if s.Here() != 2 || s.Title("bob") != "bob" || s.Title("teacher") != "Teacher" || s.Title("system:x") != "system:x" {
		t.Errorf("here %d, titles %q %q", s.Here(), s.Title("bob"), s.Title("teacher"))
	}
	if s.Show == nil || s.Show.By != "teacher" || s.Show.View != (View{Revision: 57, Selected: "rev-57"}) || s.Shows() {
		t.Errorf("show %+v", s.Show)
	}
	// A member changes and keeps its progress; one is deleted; the show and a progress end.
	take(t, &s, `{"type":"MEMBER","member":{"name":"ada-x","displayName":"Zoe","role":"learner","here":1}}`,
		`{"type":"MEMBER","member":{"name":"bob","gone":true}}`, `{"type":"SHOW","show":null}`)
	if got := names(&s); got != "Teacher:1 Zoe:1@3/8" || s.Show != nil {
		t.Errorf("members %s, show %+v", got, s.Show)
	}
	take(t, &s, `{"type":"PROGRESS","member":"ada-x","progress":null}`)
	if got := names(&s); got != "Teacher:1 Zoe:1" {
		t.Errorf("members %s", got)
	}
}

// What is sent by a stream that comes after a lost one replaces what was known.
func TestReconnect(t *testing.T) {
	var s State
	const ada = `{"type":"MEMBER","member":{"name":"ada","role":"learner","here":1}}`
	const show = `{"type":"SHOW","show":{"by":"ada","view":{}}}`
	take(t, &s, `{"type":"HELLO","epoch":"1","you":"ada"}`, ada, `{"type":"MEMBER","member":{"name":"bob","here":1}}`,
		show, `{"type":"PROGRESS","member":"ada","progress":{"step":1}}`, `{"type":"SYNCED"}`)
	if _, another := s.Take(`{"type":"HELLO","epoch":"1","you":"ada"}`); another {
		t.Error("the same epoch is another one")
	}
	if s.Synced || len(s.Members) != 2 || !s.Shows() {
		t.Errorf("before it is synced: %+v", s)
	}
	take(t, &s, ada, `{"type":"SYNCED"}`)
	if got := names(&s); got != "ada:1@1/0" || !s.Synced {
		t.Errorf("members %s", got)
	}
	if _, another := s.Take(`{"type":"HELLO","epoch":"2","you":"ada"}`); !another || s.Show != nil {
		t.Errorf("another %t, show %+v", another, s.Show)
	}
	if got := names(&s); got != "ada:1" {
		t.Errorf("members %s", got)
	}
}

func TestLeads(t *testing.T) {
	for _, c := range []struct {
		you, role, leader string
		want              bool
	}{
		{"t", Teacher, "", true}, {"t", Teacher, "t", true}, {"t", Teacher, "ada", false},
		{"ada", Learner, "", false}, {"ada", Learner, "ada", true}, {"", Teacher, "", false},
	} {
		s := State{You: c.you, Role: c.role}
		if got := s.Leads(c.leader); got != c.want {
			t.Errorf("%+v leads: %t", c, got)
		}
	}
}

func TestNoFrames(t *testing.T) {
	var s State
	for _, line := range []string{"", "x", "[]", `{"type":"MEMBER","member":"ada"}`, `{"type":"PROGRESS","member":{}}`} {
		if change, _ := s.Take(line); change != "" {
			t.Errorf("%q is %s", line, change)
		}
	}
}

func TestWait(t *testing.T) {
	var w Wait
	var got []int
	for range 7 {
		got = append(got, w.Next())
	}
	if fmt.Sprint(got) != "[1 2 4 8 15 15 15]" {
		t.Errorf("%v", got)
	}
}

// TestGone wants the frame that ends the stream of this page's member to differ from that of another member.
func TestGone(t *testing.T) {
	for line, want := range map[string]Change{
		`{"type":"MEMBER","member":{"name":"bob","gone":true}}`:               Joined,
		`{"type":"MEMBER","member":{"name":"ada-x","gone":true}}`:             Removed,
		`{"type":"MEMBER","member":{"name":"ada-x","gone":true,"left":true}}`: Left,
		`{"type":"MEMBER","member":{"name":"","gone":true}}`:                  Joined,
	} {
		var s State
		take(t, &s, `{"type":"HELLO","epoch":"1","you":"ada-x","role":"learner"}`)
		if got, _ := s.Take(line); got != want {
			t.Errorf("%s is %s, not %s", line, got, want)
		}
	}
}
