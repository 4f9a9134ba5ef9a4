package ui

import (
	"testing"

	"github.com/tabernetes/tabernetes/web/revisions"
)

func TestSeconds(t *testing.T) {
	for text, want := range map[string]int64{"90": 90, "90s": 90, " 5 M ": 300, "1h30m": 5400, "1.5h": 5400, "0": 0,
		"-5m": 0, "10ms": 0, "soon": 0, "": 0} {
		if got, ok := Seconds(text); ok != (want > 0) || ok && got != want {
			t.Errorf("Seconds(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for n, want := range map[int64]string{0: "0 s", 45: "45 s", 60: "1 min", 90: "1 min 30 s", 3600: "1 h",
		90061: "1 d 1 h"} {
		if got := Span(n); got != want {
			t.Errorf("Span(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestOff(t *testing.T) {
	for want, c := range map[string]revisions.Clock{"": {}, "paused": {Paused: true}, "+5 min": {Offset: 300},
		"10 times as fast": {Faster: 9, Offset: 300},
		"−30 s":            {Offset: -30}} {
		if got := Off(c); got != want {
			t.Errorf("Off(%+v) = %s, want %s", c, got, want)
		}
	}
}

// A server that says nothing of its caches is one that keeps up.
func TestCacheRowsOfAnOlderServer(t *testing.T) {
	rows := CacheRows(revisions.State{Head: 9})
	if len(rows) != 1 || rows[0].Name != "cache" || rows[0].Rev != 9 || rows[0].Behind != 0 ||
		rows[0].Does() != "keeps up" {
		t.Errorf("got %+v", rows)
	}
}
