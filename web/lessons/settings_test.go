//go:build !js

package lessons_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson"
)

const controlPlane = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default"

// spoilt is a control plane in which no lesson works.
const spoilt = `{"spec": {"cache": {"replicas": [{"lagSeconds": 30}, {"frozen": true}, {}]}, "history": {"retentionSeconds": 1},
	"watch": {"bookmarkSeconds": 86400}, "clock": {"paused": true}, "chaos": {"enabled": true, "seed": 1, "intervalSeconds": 1},
	"compatibility": {"resourceVersionMatch": "Ignore"}}}`

// settings reads the settings of a cluster.
func settings(t *testing.T, c http.Handler) lesson.Settings {
	t.Helper()
	w := httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", controlPlane, nil))
	s, err := lesson.ParseSettings(w.Body.String())
	if err != nil || w.Code != 200 {
		t.Fatalf("%d: %v", w.Code, err)
	}
	return s
}

// set changes the settings of a cluster.
func set(t *testing.T, c http.Handler, patch string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "PATCH", controlPlane, strings.NewReader(patch))
	r.Header.Set("Content-Type", "application/merge-patch+json")
	w := httptest.NewRecorder()
	if c.ServeHTTP(w, r); w.Code != 200 {
		t.Fatalf("PATCH %s: %d %s", patch, w.Code, w.Body)
	}
}

// TestRequires starts every lesson in a control plane where it would not work,
// with what it requires, and gives back what was there before.
func TestRequires(t *testing.T) {
	for id, l := range load(t) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			if l.Minutes == 0 || len(l.Requires) == 0 {
				t.Fatalf("it takes %d minutes and requires %v", l.Minutes, l.Requires)
			}
			c := cluster(t)
			set(t, c, spoilt)
			before := settings(t, c)
			start := lesson.Changes(before, before, l.Requires)
			if start.Patch == "" || len(start.Set) == 0 {
				t.Fatalf("nothing has to change: %+v", start)
			}
			set(t, c, start.Patch)
			if again := lesson.Changes(settings(t, c), before, l.Requires); again.Patch != "" {
				t.Fatalf("set, and yet %s", again.Patch)
			}
			p := newPlayer(t, c, l)
			for i := range l.Steps {
				p.solve(i)
			}
			end := lesson.Changes(settings(t, c), before, nil)
			if len(end.Set) > 0 {
				t.Errorf("without a lesson it is required: %q", end.Set)
			}
			set(t, c, end.Patch)
			if got := settings(t, c); !got.Equal(before) {
				t.Errorf("given back %+v, was %+v", got, before)
			}
		})
	}
}

// TestLeavingALessonHalfDone goes from a frozen cache to another lesson.
func TestLeavingALessonHalfDone(t *testing.T) {
	all, c := load(t), cluster(t)
	before := settings(t, c)
	newPlayer(t, c, all["stale-reads"]).solve(0)
	left := settings(t, c)
	if len(left.Replicas) != 2 || !left.Replicas[1].Frozen {
		t.Fatalf("the first step leaves %+v", left)
	}
	next := all["list-then-watch"]
	change := lesson.Changes(left, before, next.Requires)
	set(t, c, change.Patch)
	if got, want := change.Words(), "Set for this lesson: one API server."; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	p := newPlayer(t, c, next)
	for i := range next.Steps {
		p.solve(i)
	}
}
