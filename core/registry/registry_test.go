// More than 400 lines: the cases share one registry.

package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// fixture is a registry with the namespace "ns" on a clock that is paused.
type fixture struct {
	Reader
	t     *testing.T
	clock *clock.Manual
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	c := clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	r := &Registry{Store: mvcc.New(c.Now), Table: schema.Builtin(), Clock: c, Rand: rand.NewChaCha8([32]byte{})}
	r.Admission = admission.Chain{plugins.NamespaceLifecycle{Phase: r.NamespacePhase}}
	r.Replicas = NewReplicas(r.Store, c, r.Table)
	r.Kinds = strategy.Context{Now: c.Now, NewUID: r.NewUID, Lookup: r.Lookup}
	f := fixture{r.Through(r.Replicas.Cache(0)), t, c}
	f.create(f.target("", "v1", "namespaces", "", ""), `{"metadata":{"name":"ns"}}`)
	return f
}

func (f fixture) target(group, version, plural, namespace, name string) Target {
	f.t.Helper()
	row := f.Table.Resource(group, version, plural)
	if row == nil {
		f.t.Fatalf("no %s in %s/%s", plural, group, version)
	}
	return Target{Resource: row, Namespace: namespace, Name: name}
}

func (f fixture) configMaps(name string) Target { return f.target("", "v1", "configmaps", "ns", name) }
func (f fixture) pods(name string) Target       { return f.target("", "v1", "pods", "ns", name) }

func (f fixture) parse(t Target, text string) map[string]any {
	f.t.Helper()
	obj, _, err := object.Decode([]byte(text), t.Type())
	if err != nil {
		f.t.Fatal(err)
	}
	object.SetTypeMeta(obj, t.APIVersion(), t.Kind)
	return obj
}

func (f fixture) create(t Target, text string) map[string]any {
	f.t.Helper()
	value, err := f.Create(context.Background(), t, f.parse(t, text), WriteOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	return f.parse(t, string(value))
}

func (f fixture) replace(t Target, text string) (map[string]any, error) {
	f.t.Helper()
	value, _, err := f.Update(context.Background(), t, Replace(t, f.parse(t, text), WriteOptions{}), true, WriteOptions{})
	if err != nil {
		return nil, err
	}
	return f.parse(t, string(value)), nil
}

func (f fixture) get(t Target) map[string]any {
	f.t.Helper()
	value, err := f.Get(context.Background(), t, "")
	if err != nil {
		f.t.Fatal(err)
	}
	return f.parse(t, string(value))
}

// watch opens a watch and returns a function that polls it: the available events, as "TYPE
// name@version".
func (f fixture) watch(t Target, o ListOptions) (*Watch, func() string) {
	f.t.Helper()
	w, err := f.Watch(context.Background(), t, o)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(w.Close)
	return w, func() string {
		f.t.Helper()
		var all []string
		for {
			events, err := w.poll(context.Background())
			if err != nil && !errors.Is(err, io.EOF) {
				f.t.Fatal(err)
			}
			for _, e := range events {
				all = append(all, describe(f.t, e))
			}
			if len(events) == 0 {
				return strings.Join(all, " ")
			}
		}
	}
}

func describe(t *testing.T, e WatchEvent) string {
	t.Helper()
	var obj map[string]any
	if err := json.Unmarshal(e.Object, &obj); err != nil {
		t.Fatalf("%s: %v", e.Object, err)
	}
	if e.Type == Error {
		return fmt.Sprintf("ERROR %v", obj["code"])
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s@%s", e.Type, object.Name(obj), object.ResourceVersion(obj)))
}

func labels(t *testing.T, text string) ListOptions {
	t.Helper()
	l, err := selector.ParseLabels(text)
	if err != nil {
		t.Fatal(err)
	}
	return ListOptions{Selection: Selection{Labels: l}}
}

func TestWatchFollowsASelector(t *testing.T) {
	f := newFixture(t)
	_, events := f.watch(f.configMaps(""), labels(t, "app=x"))
	f.create(f.configMaps(""), `{"metadata":{"name":"a"}}`) // 3: not wanted
	if got := events(); got != "" {
		t.Errorf("an object that does not match: %s", got)
	}
	for _, step := range []struct{ labels, want string }{
		{`{"app":"x"}`, "ADDED a@4"},
		{`{"app":"x","b":"1"}`, "MODIFIED a@5"},
		{`{"b":"1"}`, "DELETED a@6"},
		{`{"b":"2"}`, ""},
		{`{"app":"x"}`, "ADDED a@8"},
	} {
		if _, err := f.replace(f.configMaps("a"), `{"metadata":{"name":"a","labels":`+step.labels+`}}`); err != nil {
			t.Fatal(err)
		}
		if got := events(); got != step.want {
			t.Errorf("labels %s: %q, want %q", step.labels, got, step.want)
		}
	}
	if _, _, err := f.Delete(context.Background(), f.configMaps("a"), DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := events(); got != "DELETED a@9" {
		t.Errorf("deletion: %q", got)
	}
}

func TestWatchStarts(t *testing.T) {
	f := newFixture(t)
	f.create(f.configMaps(""), `{"metadata":{"name":"a"}}`)
	f.create(f.configMaps(""), `{"metadata":{"name":"b"}}`)
	yes, no := true, false
	for _, test := range []struct {
		name string
		o    ListOptions
		want string
	}{
		{"unset", ListOptions{}, "ADDED a@3 ADDED b@4"},
		{"any", ListOptions{ResourceVersion: "0"}, "ADDED a@3 ADDED b@4"},
		{"exact", ListOptions{ResourceVersion: "3"}, "ADDED b@4"},
		{"now", ListOptions{ResourceVersion: "4"}, ""},
		{"future", ListOptions{ResourceVersion: "400"}, ""},
		{"initial events with their end",
			ListOptions{SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: MatchNotOlderThan},
			"ADDED a@3 ADDED b@4 BOOKMARK @4"},
		{"no initial events", ListOptions{SendInitialEvents: &no, ResourceVersion: "0",
			ResourceVersionMatch: MatchNotOlderThan}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, events := f.watch(f.configMaps(""), test.o); events() != test.want {
				_, again := f.watch(f.configMaps(""), test.o)
				t.Errorf("%q, want %q", again(), test.want)
			}
		})
	}
}

func TestWatchOfWhatIsGoneEndsWith410(t *testing.T) {
	f := newFixture(t)
	f.create(f.configMaps(""), `{"metadata":{"name":"a"}}`)
	f.Replicas.Forget(f.Store.Status().Head)
	w, _ := f.watch(f.configMaps(""), ListOptions{ResourceVersion: "2"})
	events, err := w.Next(context.Background())
	if err != nil || len(events) != 1 || describe(t, events[0]) != "ERROR 410" {
		t.Fatalf("%v, %v", events, err)
	}
	if _, err := w.Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("after the error: %v", err)
	}
}

// TestSlowReader has watches that have not read what is compacted: those of a cache get it, and end once the cache
// has forgotten it, too; without a cache there is a 410.
func TestSlowReader(t *testing.T) {
	f := newFixture(t)
	slow, _ := f.watch(f.configMaps(""), ListOptions{ResourceVersion: "2"})
	slower, _ := f.watch(f.configMaps(""), ListOptions{ResourceVersion: "2"})
	uncached, err := f.Through(nil).Watch(t.Context(), f.configMaps(""), ListOptions{ResourceVersion: "2"})
	if err != nil {
		t.Fatal(err)
	}
	defer uncached.Close()
	f.create(f.configMaps(""), `{"metadata":{"name":"a"}}`)
	f.compact(f.Store.Status().Head)
	next := func(w *Watch, want string) {
		t.Helper()
		events, err := w.Next(t.Context())
		if want == "EOF" {
			if !errors.Is(err, io.EOF) || len(events) > 0 {
				t.Errorf("%v, %v, want the end", events, err)
			}
			return
		}
		if err != nil || len(events) != 1 || describe(t, events[0]) != want {
			t.Errorf("%v, %v, want %s", events, err, want)
		}
	}
	next(slow, "ADDED a@3")
	next(uncached, "ERROR 410")
	f.Replicas.Forget(f.Store.Status().Head)
	next(slower, "EOF")
}

func TestBookmarks(t *testing.T) {
	f := newFixture(t)
	w, _ := f.watch(f.configMaps(""),
		ListOptions{ResourceVersion: "2", AllowWatchBookmarks: true, Timeout: 90 * time.Second})
	// revision 3, not of this watch
	f.create(f.pods(""), `{"metadata":{"name":"other"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	next := func() string {
		events, err := w.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return "EOF"
		}
		if err != nil || len(events) != 1 {
			t.Fatalf("%v, %v", events, err)
		}
		return describe(t, events[0])
	}
	f.clock.Advance(time.Minute)
	if got := next(); got != "BOOKMARK @3" {
		t.Errorf("after a minute: %s", got)
	}
	f.clock.Advance(28 * time.Second)
	if got := next(); got != "BOOKMARK @3" {
		t.Errorf("2 s before the end: %s", got)
	}
	f.clock.Advance(2 * time.Second)
	if got := next(); got != "EOF" {
		t.Errorf("at the end: %s", got)
	}
}

// TestCutWatchReturnsNothingNewer commits before a cut and after it: a client that has lost its connection does not
// see the latter.
func TestCutWatchReturnsNothingNewer(t *testing.T) {
	f := newFixture(t)
	for name, r := range map[string]Reader{"store": f.Through(nil), "cache": f.Reader} {
		head, _ := f.Store.Bounds()
		w, err := r.Watch(t.Context(), f.configMaps(""), ListOptions{ResourceVersion: strconv.FormatInt(head, 10)})
		if err != nil {
			t.Fatal(err)
		}
		f.create(f.configMaps(name), `{"metadata":{"name":"`+name+`-before"}}`)
		f.Disconnect()
		f.create(f.configMaps(name), `{"metadata":{"name":"`+name+`-after"}}`)
		events, err := w.Next(t.Context())
		if err != nil || len(events) != 1 || !strings.Contains(string(events[0].Object), "-before") {
			t.Errorf("from the %s, before the cut: %d events, %v", name, len(events), err)
		}
		if events, err = w.Next(t.Context()); !errors.Is(err, io.EOF) || len(events) > 0 {
			t.Errorf("from the %s, after it: %d events, %v", name, len(events), err)
		}
		w.Close()
	}
}

func TestWatchEndsWithItsContext(t *testing.T) {
	f := newFixture(t)
	w, _ := f.watch(f.configMaps(""), ListOptions{ResourceVersion: "2"})
	ctx, cancel := context.WithCancelCause(context.Background())
	gone := errors.New("gone")
	cancel(gone)
	if _, err := w.Next(ctx); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
}

func TestTooLargeVersionWaitsThreeSeconds(t *testing.T) {
	f := newFixture(t)
	done := make(chan error)
	go func() {
		_, err := f.List(context.Background(), f.configMaps(""), ListOptions{ResourceVersion: "100"})
		done <- err
	}()
	f.clock.AwaitTimers(1)
	f.clock.Advance(3 * time.Second)
	err := <-done
	if !status.Is(err, status.Timeout) || status.From(err).RetryAfter() != 1 {
		t.Errorf("%v", err)
	}
}

func TestVersionThatComesInTimeIsWaitedFor(t *testing.T) {
	f := newFixture(t)
	done := make(chan error)
	go func() {
		_, err := f.Get(context.Background(), f.configMaps("a"), "3")
		done <- err
	}()
	f.clock.AwaitTimers(1)
	f.create(f.configMaps(""), `{"metadata":{"name":"a"}}`)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestNoOpUpdateTakesNoRevision(t *testing.T) {
	f := newFixture(t)
	f.create(f.configMaps(""), `{"metadata":{"name":"a"},"data":{"k":"v"}}`)
	head := f.Store.Status().Head
	got, err := f.replace(f.configMaps("a"), `{"metadata":{"name":"a"},"data":{"k":"v"}}`)
	if err != nil || object.ResourceVersion(got) != "3" || f.Store.Status().Head != head {
		t.Errorf("%v, %v; head %d after %d", got, err, f.Store.Status().Head, head)
	}
}

func TestDryRunChangesNothing(t *testing.T) {
	f := newFixture(t)
	dry := WriteOptions{DryRun: true}
	ctx := context.Background()
	if _, err := f.Create(ctx, f.configMaps(""), f.parse(f.configMaps(""), `{"metadata":{"name":"a"}}`), dry); err != nil {
		t.Fatal(err)
	}
	f.create(f.configMaps(""), `{"metadata":{"name":"b"}}`)
	head := f.Store.Status().Head
	change := Replace(f.configMaps("b"), f.parse(f.configMaps(""), `{"metadata":{"name":"b"},"data":{"k":"v"}}`), dry)
	if _, _, err := f.Update(ctx, f.configMaps("b"), change, true, dry); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Delete(ctx, f.configMaps("b"), DeleteOptions{WriteOptions: dry}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Create(ctx, f.configMaps(""), f.parse(f.configMaps(""), `{"metadata":{"name":"b"}}`),
		dry); !status.Is(err, status.AlreadyExists) {
		t.Errorf("dry run of a create that conflicts: %v", err)
	}
	const versioned = `{"metadata":{"name":"c","resourceVersion":"2"}}` // which the store refuses
	if _, err := f.Create(ctx, f.configMaps(""), f.parse(f.configMaps(""), versioned), dry); err != nil {
		t.Errorf("dry run of a create with a version: %v", err)
	}
	if _, err := f.Create(ctx, f.configMaps(""), f.parse(f.configMaps(""), versioned), WriteOptions{}); err == nil {
		t.Error("a create with a version is stored")
	}
	if now := f.Store.Status().Head; now != head {
		t.Errorf("head %d after %d", now, head)
	}
}

func TestFinalizersHoldAnObject(t *testing.T) {
	f := newFixture(t)
	_, events := f.watch(f.configMaps(""), ListOptions{ResourceVersion: "2"})
	f.create(f.configMaps(""), `{"metadata":{"name":"a","finalizers":["example.com/hold"]}}`)
	value, gone, err := f.Delete(context.Background(), f.configMaps("a"), DeleteOptions{})
	if err != nil || gone || object.DeletionTimestamp(f.parse(f.configMaps(""), string(value))) == "" {
		t.Fatalf("%s, %v, %v", value, gone, err)
	}
	got, err := f.replace(f.configMaps("a"), `{"metadata":{"name":"a"}}`)
	if err != nil || object.ResourceVersion(got) != "4" {
		t.Errorf("the last finalizer's removal answers %v, %v", got, err)
	}
	if got := events(); got != "ADDED a@3 MODIFIED a@4 DELETED a@5" {
		t.Errorf("events %s", got)
	}
}

func TestScheduledPodsGoGracefully(t *testing.T) {
	f := newFixture(t)
	spec := `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`
	f.create(f.pods(""), spec)
	seconds := func(n int64) DeleteOptions { return DeleteOptions{GracePeriodSeconds: &n} }
	for _, step := range []struct {
		o     DeleteOptions
		gone  bool
		grace int64
		until string
	}{
		{DeleteOptions{}, false, 30, "2026-11-20T12:00:30Z"},
		{DeleteOptions{}, false, 30, "2026-11-20T12:00:30Z"}, // again: nothing changes
		{seconds(60), false, 30, "2026-11-20T12:00:30Z"},     // longer: neither
		{seconds(5), false, 5, "2026-11-20T12:00:05Z"},
		{seconds(0), true, 0, "2026-11-20T12:00:00Z"},
	} {
		value, gone, err := f.Delete(context.Background(), f.pods("p"), step.o)
		if err != nil {
			t.Fatal(err)
		}
		obj := f.parse(f.pods(""), string(value))
		grace, _ := object.GetInt(obj, "metadata", "deletionGracePeriodSeconds")
		if gone != step.gone || grace != step.grace || object.DeletionTimestamp(obj) != step.until ||
			object.Generation(obj) != 2 {
			t.Errorf("%+v: gone %v, grace %d until %s, generation %d", step, gone, grace, object.DeletionTimestamp(obj),
				object.Generation(obj))
		}
	}
	if _, err := f.Get(context.Background(), f.pods("p"), ""); !status.Is(err, status.NotFound) {
		t.Errorf("after all: %v", err)
	}
}

func TestNamespacesTerminate(t *testing.T) {
	f := newFixture(t)
	namespaces := f.target("", "v1", "namespaces", "", "ns")
	if _, gone, err := f.Delete(context.Background(), namespaces, DeleteOptions{}); err != nil || gone {
		t.Fatalf("gone %v, %v", gone, err)
	}
	if phase := object.GetString(f.get(namespaces), "status", "phase"); phase != "Terminating" {
		t.Errorf("phase %s", phase)
	}
	_, err := f.Create(context.Background(), f.configMaps(""), f.parse(f.configMaps(""), `{"metadata":{"name":"late"}}`),
		WriteOptions{})
	if !status.Is(err, status.Forbidden) {
		t.Errorf("a create in a terminating namespace: %v", err)
	}
	_, _, err = f.Delete(context.Background(), f.target("", "v1", "namespaces", "", "default"), DeleteOptions{})
	if !status.Is(err, status.NotFound) && !status.Is(err, status.Forbidden) {
		t.Errorf("deleting default: %v", err)
	}
}

func TestPreconditions(t *testing.T) {
	f := newFixture(t)
	f.create(f.configMaps(""), `{"metadata":{"name":"a"}}`)
	other := "1"
	for _, o := range []DeleteOptions{{UID: &other}, {ResourceVersion: &other}} {
		if _, _, err := f.Delete(context.Background(), f.configMaps("a"), o); !status.Is(err, status.Conflict) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	f.get(f.configMaps("a"))
}

func TestBindingHasPreconditions(t *testing.T) {
	f := newFixture(t)
	f.create(f.pods(""), `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	bind := func(meta string) error {
		binding := map[string]any{}
		if err := json.Unmarshal([]byte(`{"metadata":`+meta+`,"target":{"kind":"Node","name":"n"}}`), &binding); err != nil {
			t.Fatal(err)
		}
		pod := f.pods(object.GetString(binding, "metadata", "name"))
		return f.Bind(context.Background(), pod, pod, binding, WriteOptions{})
	}
	for _, meta := range []string{`{"name":"p","uid":"another"}`, `{"name":"p","resourceVersion":"1"}`} {
		if err := bind(meta); !status.Is(err, status.Conflict) {
			t.Errorf("%s: %v", meta, err)
		}
	}
	for meta, want := range map[string]string{
		`{}`:             "Name parameter required.",
		`{"name":"a/b"}`: `Name parameter invalid: "a/b": may not contain '/'`,
	} {
		if err := bind(meta); !status.Is(err, status.BadRequest) || err.Error() != want {
			t.Errorf("%s: %v", meta, err)
		}
	}
	if err := bind(`{"name":"p"}`); err != nil {
		t.Error(err)
	}
	if err := bind(`{"name":"p"}`); !status.Is(err, status.Conflict) {
		t.Errorf("binding a bound pod: %v", err)
	}
}

func TestConcurrentIncrements(t *testing.T) {
	f := newFixture(t)
	f.create(f.configMaps(""), `{"metadata":{"name":"a"},"data":{"n":""}}`)
	const writers, each = 8, 25
	done := make(chan error, writers)
	for range writers {
		go func() {
			for range each {
				_, _, err := f.Update(context.Background(), f.configMaps("a"), func(old map[string]any) (map[string]any, error) {
					object.SetNested(old, object.GetString(old, "data", "n")+"x", "data", "n")
					return old, nil
				}, false, WriteOptions{})
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if n := len(object.GetString(f.get(f.configMaps("a")), "data", "n")); n != writers*each {
		t.Errorf("%d increments, want %d", n, writers*each)
	}
}
