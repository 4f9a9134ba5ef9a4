package chaos

import (
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// TestLag delays one cache at a time, unless its setting is longer, and undoes the delay.
func TestLag(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	manual := clock.NewManual(start)
	store := mvcc.New(manual.Now)
	r := &registry.Registry{Store: store, Clock: manual, Replicas: registry.NewReplicas(store, manual, schema.Builtin())}
	d := New(r, manual, store.Compact)
	own := []registry.CacheSpec{{}, {Lag: time.Hour}, {Frozen: true}}
	d.SetCaches(own, 0)
	if d.Report() != nil || d.Status() != nil {
		t.Error("there is a report without a plan")
	}
	plan := Plan{Seed: 1, Start: start, Interval: time.Second, Allowed: [3]bool{false, false, true}}
	d.Follow(true, plan)
	first := d.Changed()
	d.Follow(true, plan)
	if d.Changed() != first {
		t.Error("the same plan is followed anew")
	}
	chosen := map[int]bool{}
	for range 20 {
		manual.Advance(time.Second)
		d.Resume()
		report := d.Report()
		if report == nil || report.Last == nil || report.Last.Server == nil {
			t.Fatalf("%+v", report)
		}
		server, late := *report.Last.Server, time.Duration(report.Last.LagSeconds)*time.Second
		chosen[server] = true
		for n := range own {
			want := own[n]
			if n == server {
				want.Lag = max(want.Lag, late)
			}
			if got := r.Replicas.Cache(n).Spec(); got != want {
				t.Fatalf("cache %d is set to %+v, want %+v, while %d is %v late", n, got, want, server, late)
			}
		}
	}
	if len(chosen) != len(own) {
		t.Errorf("late were %v", chosen)
	}
	d.Follow(false, plan)
	d.SetCaches(own, 0)
	for n := range own {
		if got := r.Replicas.Cache(n).Spec(); got != own[n] {
			t.Errorf("it is off, and cache %d is set to %+v", n, got)
		}
	}
	select {
	case <-first:
	default:
		t.Error("nobody was told of a change")
	}
}
