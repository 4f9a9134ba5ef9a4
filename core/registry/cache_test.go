package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/status"
)

// names lists the config maps through a reader, and the version of the list.
func (f fixture) names(r Reader, o ListOptions) (string, int64) {
	f.t.Helper()
	list, err := r.List(context.Background(), f.configMaps(""), o)
	if err != nil {
		f.t.Fatal(err)
	}
	var names []string
	for _, item := range list.Items {
		_, after, _ := strings.Cut(string(item), `"name":"`)
		name, _, _ := strings.Cut(after, `"`)
		names = append(names, name)
	}
	return strings.Join(names, " "), list.Revision
}

// TestCachePosition changes the spec of a cache in all ways. Each step first lets time pass, then
// writes once.
func TestCachePosition(t *testing.T) {
	f := newFixture(t)
	c := f.cache
	behind := func() int64 { return f.Store.Status().Head - c.Revision() }
	set := func(lag time.Duration, frozen bool) func() {
		return func() { c.Set(CacheSpec{Lag: lag, Frozen: frozen}, f.Store.Status().Head) }
	}
	last := c.Revision()
	for i, step := range []struct {
		what   string
		passes time.Duration
		do     func()
		writes int
		behind int64
	}{
		{"it follows the head", 0, func() {}, 2, 0},
		{"a lag does not take back what it knows", 0, set(10*time.Second, false), 0, 0},
		{"a write is not known yet", time.Second, func() {}, 1, 1},
		{"nor is it just before its time", 9 * time.Second, func() {}, 1, 2},
		{"it is when the lag is over", time.Second, func() {}, 0, 1},
		{"frozen, it stays where it is", 0, set(0, true), 1, 2},
		{"whatever time passes", time.Hour, func() {}, 1, 3},
		{"thawed with a lag, it comes to what is old enough", 0, set(time.Minute, false), 0, 1},
		{"without one, to the head", 0, set(0, false), 1, 0},
		{"frozen at the head", 0, set(0, true), 2, 2},
		{"frozen with another lag is frozen", time.Hour, set(time.Minute, true), 0, 2},
		{"compaction carries it along", 0, func() { f.compact(f.Store.Status().Head - 1) }, 0, 1},
	} {
		f.clock.Advance(step.passes)
		step.do()
		for n := range step.writes {
			f.create(f.configMaps(""), fmt.Sprintf(`{"metadata":{"name":"c%d-%d"}}`, i, n))
		}
		if got := behind(); got != step.behind {
			t.Fatalf("%s: it is %d behind, want %d", step.what, got, step.behind)
		}
		if c.Revision() < last {
			t.Fatalf("%s: it went back from %d to %d", step.what, last, c.Revision())
		}
		last = c.Revision()
	}
}

// TestVersionsNeverGoBack changes the spec of a cache and lets time pass at random, while writes are made: neither its
// position nor the version of a type's cache, which bookmarks have, ever goes back.
func TestVersionsNeverGoBack(t *testing.T) {
	for seed := range uint64(50) {
		draw := rand.New(rand.NewPCG(seed, 1))
		f := newFixture(t)
		maps, other := f.configMaps(""), f.target("", "v1", "secrets", "ns", "")
		version, position := int64(0), int64(0)
		for i := range 200 {
			f.clock.Advance(time.Duration(draw.IntN(4)*draw.IntN(4)) * time.Second)
			what := draw.IntN(6)
			switch what {
			case 0:
				f.create(maps, fmt.Sprintf(`{"metadata":{"name":"c%d"}}`, i))
			case 1, 2:
				f.create(other, fmt.Sprintf(`{"metadata":{"name":"c%d"}}`, i))
			case 3:
				f.cache.Set(CacheSpec{
					Lag: time.Duration(draw.IntN(3)*draw.IntN(10)) * time.Second, Frozen: draw.IntN(3) == 0,
				}, f.Store.Status().Head)
			case 4:
				f.Replicas.SetLimits(horizon.DefaultLimits, time.Duration(1+draw.IntN(9))*time.Second)
			}
			v, at := f.cache.Version(maps.Resource), f.cache.Revision()
			if v < version || at < position || v > at {
				t.Fatalf("seed %d, step %d (%d): version %d after %d, position %d after %d; %+v", seed, i, what, v, version, at,
					position, f.cache.Spec())
			}
			version, position = v, at
		}
	}
}

func (f fixture) compact(rev int64) {
	f.t.Helper()
	if err := f.Store.Compact(rev); err != nil {
		f.t.Fatal(err)
	}
}

// TestReadsThroughALaggingCache has the config map a in the cache and b not yet.
func TestReadsThroughALaggingCache(t *testing.T) {
	f := newFixture(t)
	f.create(f.configMaps(""), `{"metadata":{"name":"a"}}`)
	known := f.Store.Status().Head
	f.cache.Set(CacheSpec{Frozen: true}, known)
	f.create(f.configMaps(""), `{"metadata":{"name":"b"}}`)
	head := f.Store.Status().Head

	// late runs a read that waits for the cache until it times out.
	late := func(read func()) {
		done := make(chan struct{})
		go func() { defer close(done); read() }()
		f.clock.AwaitTimers(1)
		f.clock.Advance(freshness)
		<-done
	}
	tooLarge := func(what string, err error) {
		t.Helper()
		want := fmt.Sprintf("Timeout: Too large resource version: %d, current: %d", head, known)
		if err == nil || err.Error() != want || status.From(err).RetryAfter() != 1 {
			t.Errorf("%s: %v, want %s, again after 1 s", what, err, want)
		}
	}
	version := fmt.Sprint(head)
	for _, o := range []ListOptions{{ResourceVersion: "0"}, {ResourceVersion: "0", Limit: 1},
		{ResourceVersion: fmt.Sprint(known)}} {
		if names, rev := f.names(f.Reader, o); names != "a" || rev != known {
			t.Errorf("%+v: %q at %d, want a at %d", o, names, rev, known)
		}
	}
	late(func() {
		if names, rev := f.names(f.Reader, ListOptions{}); names != "a b" || rev != head {
			t.Errorf("most recent: %q at %d, want a b at %d", names, rev, head)
		}
	})
	for _, o := range []ListOptions{
		{ResourceVersion: version},
		{ResourceVersion: version, ResourceVersionMatch: MatchNotOlderThan},
		{ResourceVersion: version, ResourceVersionMatch: MatchExact},
		{ResourceVersion: version, Limit: 1},
	} {
		late(func() {
			_, err := f.List(context.Background(), f.configMaps(""), o)
			tooLarge(fmt.Sprintf("%+v", o), err)
		})
	}
	if _, err := f.Get(context.Background(), f.configMaps("b"), "0"); !status.Is(err, status.NotFound) {
		t.Errorf("get of any version: %v, want NotFound", err)
	}
	if _, err := f.Get(context.Background(), f.configMaps("b"), ""); err != nil {
		t.Errorf("get of the most recent: %v", err)
	}
	late(func() {
		_, err := f.Get(context.Background(), f.configMaps("b"), version)
		tooLarge("get", err)
	})
	// Events are never cached.
	f.create(f.target("", "v1", "events", "ns", ""), `{"metadata":{"name":"e"},"involvedObject":{"namespace":"ns"}}`)
	if _, err := f.Get(context.Background(), f.target("", "v1", "events", "ns", "e"), "0"); err != nil {
		t.Errorf("get of an event of any version: %v", err)
	}
}

// TestWatchThroughALaggingCache checks that an event arrives after the delay, and that delayed ones
// arrive when the delay is removed.
func TestWatchThroughALaggingCache(t *testing.T) {
	f := newFixture(t)
	f.cache.Set(CacheSpec{Lag: 10 * time.Second}, f.Store.Status().Head)
	w, err := f.Watch(t.Context(), f.configMaps(""),
		ListOptions{ResourceVersion: fmt.Sprint(f.Store.Status().Head), Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	f.create(f.configMaps(""), `{"metadata":{"name":"a"}}`)
	f.clock.Advance(9 * time.Second)
	f.create(f.configMaps(""), `{"metadata":{"name":"b"}}`)
	if events, err := w.poll(t.Context()); len(events) > 0 || err != nil {
		t.Fatalf("before its time: %v, %v", events, err)
	}
	next := make(chan []WatchEvent)
	go func() {
		for {
			events, err := w.Next(t.Context())
			if err != nil {
				close(next)
				return
			}
			next <- slices.Clone(events)
		}
	}()
	f.clock.AwaitTimers(2) // its end, and the arrival of a
	f.clock.Advance(time.Second)
	expect := func(name string) {
		t.Helper()
		events := <-next
		if len(events) != 1 || events[0].Type != Added || !strings.Contains(string(events[0].Object), `"name":"`+name+`"`) {
			t.Fatalf("%v, want only %s", events, name)
		}
	}
	expect("a")
	f.clock.AwaitTimers(2)
	f.cache.Set(CacheSpec{}, f.Store.Status().Head)
	expect("b")
	f.clock.Advance(time.Hour)
	<-next
}

// TestHeldBackEventsAreNotSkipped compacts events that a watch has not received yet, because its cache
// has not: the cache is listed again, which ends its watches.
func TestHeldBackEventsAreNotSkipped(t *testing.T) {
	f := newFixture(t)
	head := f.Store.Status().Head
	f.cache.Set(CacheSpec{Frozen: true}, head)
	w, err := f.Watch(t.Context(), f.configMaps(""), ListOptions{ResourceVersion: fmt.Sprint(head), Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	f.create(f.configMaps(""), `{"metadata":{"name":"a"}}`)
	f.create(f.configMaps(""), `{"metadata":{"name":"b"}}`)
	if events, err := w.poll(t.Context()); len(events) > 0 || err != nil {
		t.Fatalf("frozen: %v, %v", events, err)
	}
	f.compact(head + 1)
	if events, err := w.poll(t.Context()); !errors.Is(err, io.EOF) || len(events) > 0 {
		t.Fatalf("%v, %v", events, err)
	}
	w, err = f.Watch(t.Context(), f.configMaps(""), ListOptions{ResourceVersion: fmt.Sprint(head), Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	events, err := w.poll(t.Context())
	want := fmt.Sprintf("too old resource version: %d (%d)", head, head+1)
	if err != nil || len(events) != 1 || events[0].Type != Error || !strings.Contains(string(events[0].Object), want) {
		t.Fatalf("%s, %v: want %s", events[0].Object, err, want)
	}
}

// TestReplicas has a stale API server and an up-to-date one.
func TestReplicas(t *testing.T) {
	f := newFixture(t)
	head := f.Store.Status().Head
	f.Replicas.Set([]CacheSpec{{}, {Frozen: true}}, head)
	f.create(f.configMaps(""), `{"metadata":{"name":"a"}}`)
	var turns []int
	for range 4 {
		turns = append(turns, f.Replicas.Next())
	}
	if !slices.Equal(turns, []int{0, 1, 0, 1}) {
		t.Errorf("turns: %v", turns)
	}
	for i, want := range []string{"a", ""} {
		if names, _ := f.names(f.Through(f.Replicas.Cache(i)), ListOptions{ResourceVersion: "0"}); names != want {
			t.Errorf("API server %d has %q, want %q", i, names, want)
		}
	}
	if got := f.Replicas.Revisions(); !slices.Equal(got, []int64{head + 1, head}) {
		t.Errorf("positions: %v", got)
	}
	// Removing one ends its watches.
	w, err := f.Through(f.Replicas.Cache(1)).Watch(t.Context(), f.configMaps(""),
		ListOptions{ResourceVersion: "1", Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	f.Replicas.Set([]CacheSpec{{}}, head+1)
	if f.Replicas.Cache(1) != nil || f.Replicas.Len() != 1 {
		t.Error("there are still two")
	}
	for err == nil { // hangs if the watch continues
		_, err = w.Next(t.Context())
	}
	if err != io.EOF {
		t.Errorf("its watch ends with %v", err)
	}
}

// TestNameAcrossNamespaces pages through the objects of one name.
func TestNameAcrossNamespaces(t *testing.T) {
	f := newFixture(t)
	for _, ns := range []string{"m1", "m2", "m3"} {
		f.create(f.target("", "v1", "namespaces", "", ""), `{"metadata":{"name":"`+ns+`"}}`)
		for _, name := range []string{"a", "x", "z"} {
			f.create(f.target("", "v1", "configmaps", ns, ""), `{"metadata":{"name":"`+name+`"}}`)
		}
	}
	fields, err := selector.ParseFields("metadata.name=x")
	if err != nil {
		t.Fatal(err)
	}
	o := ListOptions{Selection: Selection{Fields: fields}, Limit: 2}
	all := f.target("", "v1", "configmaps", "", "")
	for i, want := range []int{2, 1} {
		list, err := f.List(context.Background(), all, o)
		if err != nil || len(list.Items) != want {
			t.Fatalf("page %d: %d items, %v", i, len(list.Items), err)
		}
		if o.Continue = list.Continue; (o.Continue != "") != (i == 0) {
			t.Fatalf("page %d: token %q", i, o.Continue)
		}
	}
}
