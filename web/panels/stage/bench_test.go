package stage

import (
	"strconv"
	"testing"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// BenchmarkFrame draws a frame of twenty lanes that have received 5,000
// revisions, as bars.
func BenchmarkFrame(b *testing.B) {
	m := timeline.New(&tap.Log{})
	m.Frame(revisions.Frame{State: &revisions.State{Head: 10, Caches: []int64{10}, Cluster: "a"}})
	for id := 1; id <= 20; id++ {
		tapped(m, tap.Event{Type: tap.Request, ID: id, Method: "GET", URL: "/api/v1/configmaps?watch=1&resourceVersion=10"})
		tapped(m, tap.Event{Type: tap.Head, ID: id, Status: 200})
	}
	for rev := int64(11); rev <= 5000; rev++ {
		m.Frame(revisions.Frame{Commit: &revisions.Commit{Revision: rev, Verb: revisions.Modified, Resource: "configmaps",
			Namespace: "default", Name: "a"}})
		line := `{"type":"MODIFIED","object":{"metadata":{"name":"a","namespace":"default","resourceVersion":"` +
			strconv.FormatInt(rev, 10) + `"}}}` + "\n"
		for id := 1; id <= 20; id++ {
			tapped(m, tap.Event{Type: tap.Chunk, ID: id, Text: line})
		}
	}
	cam := NewCamera()
	cam.Resize(1000, 1)
	cam.Extend(1, m.Head(), 4000)
	for cam.Step(1000) {
	}
	sc := &Scene{Model: m, View: cam.View, U: 1}
	if !sc.bars() {
		b.Fatal("single marks are in sight")
	}
	b.ReportAllocs()
	for b.Loop() {
		sc.Ruler(148)
		for _, l := range m.Lanes.List {
			sc.Lane(l, DenseUnits)
		}
	}
}
