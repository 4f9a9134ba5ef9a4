package timeline

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// watching returns a model with a watch of ConfigMaps that can be resumed from version.
func watching(version string) *world {
	m := newWorld()
	m.Frame(revisions.Frame{State: &revisions.State{Head: 20, Caches: []int64{20}, Cluster: "c",
		Replicas: []revisions.Replica{{}}}})
	m.Tap(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: "/api/v1/configmaps?watch=1&resourceVersion=" + version})
	m.Tap(tap.Event{Type: tap.Head, ID: 1, Status: 200})
	return m
}

// The servers are asked what they remember if an edge that is shown may have moved, and not for what nobody looks at.
func TestAsks(t *testing.T) {
	commit := func(group, resource string) revisions.Frame {
		c := &revisions.Commit{Revision: 21, Verb: revisions.Added, Group: group, Resource: resource}
		return revisions.Frame{Commit: c}
	}
	state := func(change func(*revisions.State)) revisions.Frame {
		s := revisions.State{Head: 20, Caches: []int64{20}, Cluster: "c", Replicas: []revisions.Replica{{}}}
		change(&s)
		return revisions.Frame{State: &s}
	}
	for _, test := range []struct {
		name string
		f    revisions.Frame
		want bool
	}{
		{"a write of the lane's type", commit("", "configmaps"), true},
		{"of another type", commit("", "pods"), false},
		{"of another group", commit("a.io", "configmaps"), false},
		{"of settings", commit("sandbox.tabernetes.dev", "controlplanes"), true},
		{"of a definition", commit("apiextensions.k8s.io", "customresourcedefinitions"), true},
		{"nothing", state(func(*revisions.State) {}), false},
		{"a new head", state(func(s *revisions.State) { s.Head, s.Caches[0] = 21, 21 }), false},
		{"the clock", state(func(s *revisions.State) { s.Clock.Offset = 300 }), false},
		{"a compaction", state(func(s *revisions.State) { s.Compacted = 15 }), true},
		{"a restart", state(func(s *revisions.State) { s.Replicas[0].Since = 20 }), true},
		{"a late cache has read", state(func(s *revisions.State) { s.Caches[0] = 18 }), true},
		{"another server", state(func(s *revisions.State) { s.Replicas = append(s.Replicas, revisions.Replica{}) }), true},
		{"another cluster", state(func(s *revisions.State) { s.Cluster = "d" }), true},
	} {
		if got := watching("20").Frame(test.f).Asks; got != test.want {
			t.Errorf("%s: asks %v", test.name, got)
		}
	}
	m := newWorld()
	if m.Frame(commit("", "configmaps")).Asks {
		t.Error("asks without a lane")
	}
	m.Tap(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: "/api/v1/configmaps?watch=1"})
	if !m.Tap(tap.Event{Type: tap.Head, ID: 1, Status: 200}).Asks {
		t.Error("does not ask for a new lane")
	}
}

// The house turns when the edge passes it, which is said once.
func TestRemember(t *testing.T) {
	m := watching("15")
	l := m.Lanes.List[0]
	if _, known := m.Edge(l); known || m.Gone(l) {
		t.Error("before a server has said what it remembers")
	}
	for _, test := range []struct {
		horizon int64
		gone    bool
		say     string
	}{
		{14, false, ""}, {15, false, ""}, {16, true, "Watch w1 can no longer continue from 15"}, {17, true, ""},
	} {
		ch := m.Remember(revisions.Windows{Servers: []revisions.ServerWindows{{Since: 1, Types: []revisions.Window{
			{Resource: "configmaps", Horizon: test.horizon, Why: horizon.Busy, Held: 8, Capacity: 8}}}}})
		if m.Gone(l) != test.gone || ch.Say != test.say {
			t.Errorf("from %d on: gone %v, said %q", test.horizon, m.Gone(l), ch.Say)
		}
	}
}

// An etcd that was compacted takes nothing from a type that a cache has; one without a cache ends at the wall.
func TestCompactionMovesNoBuffer(t *testing.T) {
	m := watching("15")
	types := []revisions.Window{
		{Resource: "configmaps", Horizon: 1, Why: horizon.Started, Lists: 1, Held: 3, Capacity: 100},
		{Resource: "events", Horizon: 1, Why: horizon.Compacted, Lists: 1},
	}
	m.Remember(revisions.Windows{Servers: []revisions.ServerWindows{{Since: 1, Why: horizon.Started, Types: types}}})
	m.Frame(revisions.Frame{State: &revisions.State{Head: 20, Compacted: 20, Cluster: "c",
		Replicas: []revisions.Replica{{}}}})
	if w, _ := m.Edge(m.Lanes.List[0]); w.Horizon != 1 || m.Gone(m.Lanes.List[0]) {
		t.Errorf("ConfigMaps: %+v", w)
	}
	m.Lanes.List[0].Target.Resource = "events"
	if w, _ := m.Edge(m.Lanes.List[0]); w.Horizon != 20 || !m.Gone(m.Lanes.List[0]) {
		t.Errorf("Events: %+v", w)
	}
	if got := m.Listed(&Chain{Target: tap.Info{Resource: "configmaps"}}); got != 1 {
		t.Errorf("lists of ConfigMaps are answered from %d on", got)
	}
}
