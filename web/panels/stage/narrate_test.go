package stage

import (
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// watchedSecrets is a model in which two clients watch Secrets and one ConfigMaps, and a Secret is written at 3 and 4.
func watchedSecrets(t *testing.T) *Scene {
	t.Helper()
	m := timeline.New(&tap.Log{})
	m.Frame(revisions.Frame{State: &revisions.State{Cluster: "a", Head: 2, Caches: []int64{2}}})
	watch := func(id int, path string) {
		tapped(m, tap.Event{Type: tap.Request, ID: id, Method: "GET", URL: path})
		tapped(m, tap.Event{Type: tap.Head, ID: id, Status: 200, Time: time.Unix(1, 0)})
	}
	const base = "/api/v1/namespaces/default/"
	watch(1, base+"secrets?watch=1&resourceVersion=2")
	watch(2, base+"secrets?watch=1&resourceVersion=2")
	watch(3, base+"configmaps?watch=1&resourceVersion=2")
	for rev, verb := range []revisions.Verb{3: revisions.Added, 4: revisions.Modified} {
		if verb != "" {
			m.Frame(revisions.Frame{Commit: &revisions.Commit{Revision: int64(rev), Verb: verb, Resource: "secrets",
				Namespace: "default", Name: "a", Time: time.Unix(2, 0)}})
		}
	}
	return &Scene{Model: m}
}

// heard gives a lane an event of the Secret a.
func heard(sc *Scene, id int, kind string, rev string) {
	tapped(sc.Model, tap.Event{Type: tap.Chunk, ID: id, Time: time.Unix(3, 0), Text: `{"type":"` + kind +
		`","object":{"metadata":{"name":"a","namespace":"default","resourceVersion":"` + rev + `"}}}` + "\n"})
}

func kindName(o timeline.Object) string { return map[string]string{"secrets": "Secret"}[o.Resource] }

func TestNarrateRevision(t *testing.T) {
	sc := watchedSecrets(t)
	heard(sc, 1, "ADDED", "3")
	heard(sc, 2, "ADDED", "3")
	heard(sc, 2, "MODIFIED", "4")
	for rev, want := range map[int64]Narration{
		3: {Sign: "added", Text: "3 created the Secret `a`: w1 and w2 received it, w3 did not (other type)."},
		4: {Sign: "modified", Text: "4 changed the Secret `a`: w2 received it, w1 did not ("},
		9: {Text: "Revision 9: no write is known."},
	} {
		if got := sc.NarrateRevision(rev, kindName); got.Sign != want.Sign || !strings.HasPrefix(got.Text, want.Text) {
			t.Errorf("%d: %+v, want %+v", rev, got, want)
		}
	}
}

func TestNarrateLane(t *testing.T) {
	sc := watchedSecrets(t)
	l := sc.Lanes.ByID("w1")
	want := func(step string, n Narration) {
		t.Helper()
		if got := sc.NarrateLane(l); got != n {
			t.Errorf("%s: %+v, want %+v", step, got, n)
		}
	}
	want("open", Narration{Sign: "open", Text: "w1 watches default/secrets after 2."})
	heard(sc, 1, "ADDED", "3")
	tapped(sc.Model, tap.Event{Type: tap.Fail, ID: 1, Err: "network", Time: time.Unix(4, 0)})
	want("cut", Narration{Sign: "cut", Text: "w1 was cut after 4: it can resume from 3."})
	const path = "/api/v1/namespaces/default/secrets?watch=1&resourceVersion=3"
	tapped(sc.Model, tap.Event{Type: tap.Request, ID: 4, Method: "GET", URL: path})
	tapped(sc.Model, tap.Event{Type: tap.Head, ID: 4, Status: 200, Time: time.Unix(5, 0)})
	heard(sc, 4, "MODIFIED", "4")
	want("resumed", Narration{Sign: "open", Text: "w1 resumed after 3: 1 event that it missed came at once."})
	tapped(sc.Model, tap.Event{Type: tap.Chunk, ID: 4, Time: time.Unix(6, 0), Text: `{"type":"ERROR",` +
		`"object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}` + "\n"})
	want("gone", Narration{Sign: "410", Text: "410: 3 is too old. w1 has to list again."})
	l.Gone = horizon.Busy
	want("pushed out", Narration{Sign: "410", Text: "410: newer events pushed 3 out. w1 has to list again."})

	l = sc.Lanes.ByID("w2")
	tapped(sc.Model, tap.Event{Type: tap.Fail, ID: 2, Err: "aborted", Aborted: true, Time: time.Unix(4, 0)})
	want("closed", Narration{Sign: "ended", Text: "w2 was closed by its client after 4."})
}

func TestNarrateState(t *testing.T) {
	base := revisions.State{Cluster: "a", Head: 9, Caches: []int64{9, 7}, Replicas: []revisions.Replica{{}, {}}}
	with := func(change func(*revisions.State)) revisions.State {
		s := base
		s.Replicas = append([]revisions.Replica(nil), base.Replicas...)
		change(&s)
		return s
	}
	frozen := with(func(s *revisions.State) { s.Replicas[1].Frozen = true })
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	fast := func(rate, offset int64) revisions.State {
		return with(func(s *revisions.State) {
			s.Clock = revisions.Clock{Faster: rate - 1, Since: noon, Offset: offset}
		})
	}
	for _, test := range []struct {
		was, now revisions.State
		want     string
	}{
		{base, base, ""},
		{base, with(func(s *revisions.State) { s.Cluster, s.Compacted = "b", 5 }), ""},
		{base, with(func(s *revisions.State) { s.Compacted = 5 }), "etcd was compacted: history starts at 5."},
		{base, frozen, "C1 is frozen: its cache stays at 7."},
		{frozen, base, "C1 keeps up with etcd again."},
		{base, with(func(s *revisions.State) { s.Replicas[1].Lag = 5 }), "C1 learns of each write 5 s late."},
		{base, with(func(s *revisions.State) {
			s.Replicas[0] = revisions.Replica{Since: 9, Why: horizon.Restarted}
		}), "C0 was restarted: its caches begin with 9."},
		{base, with(func(s *revisions.State) { s.Replicas = s.Replicas[:1] }), "One API server answers now."},
		{base, with(func(s *revisions.State) { s.Clock.Paused = true }), "The cluster’s clock is paused."},
		{base, with(func(s *revisions.State) { s.Clock.Offset = 300 }), "The cluster’s clock is 5 min later."},
		{base, fast(60, 0), "The cluster’s clock is 60 times as fast as ours."},
		{fast(60, 0), base, "The cluster’s clock is as fast as ours again."},
		{fast(60, 0), fast(60, 300), "The cluster’s clock is 5 min later."},
		{fast(60, 0), with(func(s *revisions.State) { s.Clock = revisions.Clock{Faster: 59, Offset: 9} }), ""},
	} {
		if got := NarrateState(test.was, test.now); got.Text != test.want {
			t.Errorf("%+v: %q, want %q", test.now, got.Text, test.want)
		}
	}
}

func TestNewest(t *testing.T) {
	var lanes []*timeline.Lane
	for i := range 5 {
		l := &timeline.Lane{Num: i + 1, Marks: timeline.NewSeries(10)}
		l.Req, l.Began = 10+i, time.Unix(int64(i), 0)
		lanes = append(lanes, l)
	}
	lanes[1].Marks.Add(timeline.Mark{Rev: 1, At: 60_000})
	for _, test := range []struct {
		n, chosen int
		want      string
	}{{5, 0, "w1 w2 w3 w4 w5"}, {2, 0, "w2 w5"}, {2, 10, "w1 w2"}, {1, 13, "w4"}} {
		var ids []string
		for _, l := range Newest(lanes, test.n, test.chosen) {
			ids = append(ids, l.ID())
		}
		if got := strings.Join(ids, " "); got != test.want {
			t.Errorf("%d, chosen %d: %s, want %s", test.n, test.chosen, got, test.want)
		}
	}
}
