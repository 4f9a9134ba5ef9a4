// More than 400 lines: the cases share one cluster.

package controller

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// cluster is a registry with controllers, a clock that the test moves, and a
// watch of everything that is written.
type cluster struct {
	testing.TB
	*registry.Registry
	clock   *clock.Manual
	set     *Set
	watcher *mvcc.Watcher
	events  []*mvcc.Event // not looked at yet
}

type lockedRand struct {
	sync.Mutex
	*rand.ChaCha8
}

func (l *lockedRand) Read(b []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.ChaCha8.Read(b)
}

func newCluster(t testing.TB, on bool) *cluster {
	c := &cluster{TB: t, clock: clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))}
	store := mvcc.New(c.clock.Now)
	c.Registry = &registry.Registry{
		Store: store, Table: schema.Builtin(), Clock: c.clock, Rand: &lockedRand{ChaCha8: rand.NewChaCha8([32]byte{1})},
		Replicas: registry.NewReplicas(store, c.clock, schema.Builtin()),
	}
	c.Admission = admission.Chain{plugins.NamespaceLifecycle{Phase: c.NamespacePhase}}
	c.Kinds.Now, c.Kinds.NewUID = c.clock.Now, c.NewUID
	var err error
	if c.watcher, err = store.Watch(mvcc.Scope{}, 1); err != nil {
		t.Fatal(err)
	}
	c.set = New(c.Registry, evaluator.Evaluator{}, c.clock)
	c.set.Switch(on)
	c.set.Start()
	t.Cleanup(c.set.Stop)
	return c
}

// target returns "plural/namespace/name" or "plural/name".
func (c *cluster) target(path string) registry.Target {
	c.Helper()
	parts := strings.Split(path, "/")
	for _, row := range c.Table.Resources() {
		if row.Plural == parts[0] {
			t := registry.Target{Resource: row}
			if row.Namespaced {
				t.Namespace = parts[1]
			}
			t.Name = parts[len(parts)-1]
			return t
		}
	}
	c.Fatalf("no resource type for %s", path)
	return registry.Target{}
}

// create creates an object; it stays until its finalizers are removed.
func (c *cluster) create(path string, finalizers ...string) {
	c.Helper()
	c.createWith(path, nil, finalizers...)
}

func (c *cluster) createWith(path string, spec map[string]any, finalizers ...string) {
	c.Helper()
	t := c.target(path)
	obj := map[string]any{"kind": t.Kind, "apiVersion": t.APIVersion(), "metadata": map[string]any{"name": t.Name}}
	object.SetFinalizers(obj, finalizers)
	if spec != nil {
		obj["spec"] = spec
	}
	if _, err := c.Create(c.Context(), t, obj, registry.WriteOptions{}); err != nil {
		c.Error(err) // not Fatal: clients are goroutines in some tests
	}
}

func (c *cluster) delete(path string) {
	c.Helper()
	if _, _, err := c.Delete(c.Context(), c.target(path), registry.DeleteOptions{}); err != nil {
		c.Error(err)
	}
}

func (c *cluster) update(path string, change func(obj map[string]any)) {
	c.Helper()
	_, _, err := c.Update(c.Context(), c.target(path), func(old map[string]any) (map[string]any, error) {
		change(old)
		return old, nil
	}, false, registry.WriteOptions{})
	if err != nil {
		c.Fatal(err)
	}
}

// release removes the finalizers of an object.
func (c *cluster) release(path string) {
	c.Helper()
	c.update(path, func(obj map[string]any) { object.SetFinalizers(obj, nil) })
}

func (c *cluster) read(path string) map[string]any {
	c.Helper()
	obj := c.find(path)
	if obj == nil {
		c.Fatalf("%s is not there", path)
	}
	return obj
}

// find returns an object, or nil if none exists.
func (c *cluster) find(path string) map[string]any {
	c.Helper()
	t := c.target(path)
	value, err := c.Get(c.Context(), t)
	if status.Is(err, status.NotFound) {
		return nil
	}
	if err != nil {
		c.Fatal(err)
	}
	obj, err := decode(t, value)
	if err != nil {
		c.Fatal(err)
	}
	return obj
}

// exists reports whether there is an object.
func (c *cluster) exists(path string) bool {
	c.Helper()
	return c.find(path) != nil
}

// patience is how long tests wait for what has to come, however slow the machine is.
const patience = 3 * time.Minute

// next waits for the next event: "VERB plural/namespace/name".
func (c *cluster) next() string {
	c.Helper()
	for len(c.events) == 0 {
		select {
		case <-c.watcher.Ready():
		case <-time.After(patience):
			c.Fatal("no event in sight")
		}
		var err error
		if c.events, err = c.watcher.Next(0, 0); err != nil {
			c.Fatal(err)
		}
	}
	commit, ok := c.CommitOf(c.events[0])
	if !ok {
		c.Fatal("an event of an unknown resource type")
	}
	c.events = c.events[1:]
	if commit.Namespace == "" {
		return fmt.Sprintf("%s %s/%s", commit.Verb, commit.Resource.Plural, commit.Name)
	}
	return fmt.Sprintf("%s %s/%s/%s", commit.Verb, commit.Resource.Plural, commit.Namespace, commit.Name)
}

// expect waits for these events. Those on one line may come in any order.
func (c *cluster) expect(lines ...string) {
	c.Helper()
	for _, line := range lines {
		want := strings.Split(line, ", ")
		var got []string
		for range want {
			got = append(got, c.next())
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			c.Fatalf("events %q, want %q", got, want)
		}
	}
}

// created waits for the initial objects of a new namespace. Their order is not certain while an
// earlier namespace of that name is still being reconciled.
func (c *cluster) created(namespace string) {
	c.Helper()
	c.expect("ADDED namespaces/"+namespace, "ADDED serviceaccounts/"+namespace+"/default, ADDED configmaps/"+namespace+
		"/kube-root-ca.crt")
}

// pass moves the clock once the controllers wait for it.
func (c *cluster) pass(d time.Duration) {
	c.Helper()
	c.clock.AwaitTimers(1)
	c.clock.Advance(d)
}

// conditions returns the conditions of a namespace that are True: "Type: message".
func (c *cluster) conditions(namespace string) (bad []string) {
	c.Helper()
	list := object.GetList(c.read("namespaces/"+namespace), "status", "conditions")
	if len(list) != 5 {
		c.Errorf("%d conditions", len(list))
	}
	for _, e := range list {
		if e := e.(map[string]any); e["status"] == "True" {
			bad = append(bad, fmt.Sprintf("%s: %s", e["type"], e["message"]))
		}
	}
	return bad
}

func TestNamespacesGetInitialObjects(t *testing.T) {
	c := newCluster(t, true)
	c.create("namespaces/k1")
	c.created("k1")
	ca := c.read("configmaps/k1/kube-root-ca.crt")
	block, rest := pem.Decode([]byte(object.GetString(ca, "data", "ca.crt")))
	if block == nil || len(rest) > 0 {
		t.Fatalf("not PEM: %v", ca)
	}
	if cert, err := x509.ParseCertificate(block.Bytes); err != nil ||
		!strings.Contains(cert.Subject.CommonName, "placeholder") {
		t.Errorf("certificate %v, %v", cert, err)
	}
	if text := object.Annotations(ca)["kubernetes.io/description"]; !strings.HasPrefix(text, "Contains a CA bundle") {
		t.Errorf("description %q", text)
	}

	for _, path := range []string{"serviceaccounts/k1/default", "configmaps/k1/kube-root-ca.crt"} {
		before := object.UID(c.read(path))
		c.delete(path)
		c.expect("DELETED "+path, "ADDED "+path)
		if object.UID(c.read(path)) == before {
			t.Errorf("%s has its old uid", path)
		}
	}
	c.update("configmaps/k1/kube-root-ca.crt", func(obj map[string]any) {
		obj["data"] = map[string]any{"ca.crt": "mine"}
		obj["metadata"].(map[string]any)["annotations"] = map[string]any{"mine": "x"}
	})
	c.expect("MODIFIED configmaps/k1/kube-root-ca.crt", "MODIFIED configmaps/k1/kube-root-ca.crt")
	restored := c.read("configmaps/k1/kube-root-ca.crt")
	if !object.Equal(restored["data"], ca["data"]) || len(object.Annotations(restored)) != 2 {
		t.Errorf("put back as %v", restored)
	}
}

func TestEmptyNamespaceGoes(t *testing.T) {
	c := newCluster(t, true)
	c.create("namespaces/k2")
	c.created("k2")
	c.delete("namespaces/k2")
	c.expect("MODIFIED namespaces/k2")
	c.pass(5*time.Second - 1)
	c.clock.AwaitTimers(1)
	if !c.exists("configmaps/k2/kube-root-ca.crt") {
		t.Error("emptied too early")
	}
	c.pass(1)
	c.expect("DELETED configmaps/k2/kube-root-ca.crt, DELETED serviceaccounts/k2/default", "MODIFIED namespaces/k2",
		"DELETED namespaces/k2")
	// No pending key may affect a new namespace of that name.
	c.create("namespaces/k2")
	c.created("k2")
}

func TestNamespaceWaitsForItsContent(t *testing.T) {
	c := newCluster(t, true)
	c.create("namespaces/d3")
	c.created("d3")
	c.create("configmaps/d3/h1", "example.com/hold")
	c.create("configmaps/d3/nb", "example.com/hold", "other.com/x")
	c.create("secrets/d3/h2", "example.com/hold")
	pod := func(node string) map[string]any {
		spec := map[string]any{
			"terminationGracePeriodSeconds": int64(10),
			"containers":                    []any{map[string]any{"name": "c", "image": "x"}},
		}
		if node != "" {
			spec["nodeName"] = node
		}
		return spec
	}
	c.createWith("pods/d3/bound", pod("n1"))
	c.createWith("pods/d3/free", pod(""))
	for range 5 {
		c.next()
	}
	c.delete("namespaces/d3")
	c.expect("MODIFIED namespaces/d3")

	c.pass(5 * time.Second)
	c.expect("MODIFIED pods/d3/bound, MODIFIED pods/d3/free, DELETED pods/d3/free", "MODIFIED namespaces/d3")
	if bad := c.conditions("d3"); len(bad) > 0 {
		t.Errorf("conditions %q while pods may go on", bad)
	}
	c.pass(5 * time.Second)
	c.expect("MODIFIED namespaces/d3")
	want := []string{"NamespaceDeletionContentFailure: Failed to delete all resource types, 1 remaining: " +
		"unexpected items still remain in namespace: d3 for gvr: /v1, Resource=pods"}
	if bad := c.conditions("d3"); !slices.Equal(bad, want) {
		t.Errorf("conditions %q, want %q", bad, want)
	}

	_, _, err := c.Delete(t.Context(), c.target("pods/d3/bound"), registry.DeleteOptions{GracePeriodSeconds: new(int64)})
	if err != nil {
		t.Fatal(err)
	}
	c.expect("MODIFIED pods/d3/bound", "DELETED pods/d3/bound")
	c.pass(5 * time.Second)
	c.expect("MODIFIED configmaps/d3/h1, MODIFIED configmaps/d3/nb, MODIFIED secrets/d3/h2, "+
		"DELETED configmaps/d3/kube-root-ca.crt, DELETED serviceaccounts/d3/default", "MODIFIED namespaces/d3")
	want = []string{
		"NamespaceContentRemaining: Some resources are remaining: configmaps. " +
			"has 2 resource instances, secrets. has 1 resource instances",
		"NamespaceFinalizersRemaining: Some content in the namespace has finalizers remaining: " +
			"example.com/hold in 3 resource instances, other.com/x in 1 resource instances",
	}
	if bad := c.conditions("d3"); !slices.Equal(bad, want) {
		t.Errorf("conditions %q, want %q", bad, want)
	}
	since := transitions(c.read("namespaces/d3"))

	c.release("configmaps/d3/nb")
	c.release("secrets/d3/h2")
	c.expect("DELETED configmaps/d3/nb", "DELETED secrets/d3/h2")
	c.pass(5 * time.Second)
	c.expect("MODIFIED namespaces/d3")
	want = []string{
		"NamespaceContentRemaining: Some resources are remaining: configmaps. has 1 resource instances",
		"NamespaceFinalizersRemaining: " +
			"Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
	}
	if bad := c.conditions("d3"); !slices.Equal(bad, want) {
		t.Errorf("conditions %q, want %q", bad, want)
	}
	if now := transitions(c.read("namespaces/d3")); !slices.Equal(now, since) {
		t.Errorf("transitions at %q, then at %q, with the same statuses", since, now)
	}

	c.pass(5 * time.Second) // nothing new to tell
	c.clock.AwaitTimers(1)
	c.release("configmaps/d3/h1")
	c.expect("DELETED configmaps/d3/h1")
	c.pass(5 * time.Second)
	c.expect("MODIFIED namespaces/d3", "DELETED namespaces/d3")
}

// transitions returns the times of a namespace's conditions.
func transitions(namespace map[string]any) (times []any) {
	for _, e := range object.GetList(namespace, "status", "conditions") {
		times = append(times, e.(map[string]any)["lastTransitionTime"])
	}
	return times
}

func TestNamespaceWaitsForOtherFinalizers(t *testing.T) {
	emptied := func(t *testing.T, create func(*cluster)) *cluster {
		c := newCluster(t, true)
		create(c)
		c.created("a")
		c.delete("namespaces/a")
		c.expect("MODIFIED namespaces/a")
		c.pass(5 * time.Second)
		c.expect("DELETED configmaps/a/kube-root-ca.crt, DELETED serviceaccounts/a/default",
			"MODIFIED namespaces/a", "MODIFIED namespaces/a")
		return c
	}
	t.Run("in its spec", func(t *testing.T) {
		c := emptied(t, func(c *cluster) {
			c.createWith("namespaces/a", map[string]any{"finalizers": []any{"example.com/x"}})
		})
		if got := object.GetList(c.read("namespaces/a"), "spec", "finalizers"); !slices.Equal(got, []any{"example.com/x"}) {
			t.Errorf("it waits for %v", got)
		}
	})
	t.Run("in its metadata", func(t *testing.T) {
		c := emptied(t, func(c *cluster) { c.create("namespaces/a", "example.com/x") })
		if got := c.read("namespaces/a"); len(object.GetMap(got, "spec")) > 0 || len(object.Finalizers(got)) != 1 {
			t.Errorf("it is %v", got)
		}
		c.release("namespaces/a")
		c.expect("DELETED namespaces/a")
	})
}

func TestNamespaceStaysWhileDiscoveryFails(t *testing.T) {
	c := newCluster(t, true)
	c.create("namespaces/a")
	c.created("a")
	c.create("secrets/a/s")
	c.createWith("apiservices/v1.broken.example.com", map[string]any{
		"group": "broken.example.com", "version": "v1", "groupPriorityMinimum": int64(100), "versionPriority": int64(100),
		"insecureSkipTLSVerify": true, "service": map[string]any{"name": "nobody", "namespace": "default"},
	})
	c.delete("namespaces/a")
	c.expect("ADDED secrets/a/s", "ADDED apiservices/v1.broken.example.com", "MODIFIED namespaces/a")
	c.pass(5 * time.Second)
	c.expect("DELETED secrets/a/s, DELETED configmaps/a/kube-root-ca.crt, DELETED serviceaccounts/a/default",
		"MODIFIED namespaces/a")
	want := []string{"NamespaceDeletionDiscoveryFailure: Discovery failed for some groups, 1 failing: " +
		"unable to retrieve the complete list of server APIs: broken.example.com/v1: " +
		"stale GroupVersion discovery: broken.example.com/v1"}
	if bad := c.conditions("a"); !slices.Equal(bad, want) {
		t.Errorf("conditions %q, want %q", bad, want)
	}
	c.delete("apiservices/v1.broken.example.com")
	c.expect("DELETED apiservices/v1.broken.example.com")
	c.pass(5 * time.Second)
	c.expect("MODIFIED namespaces/a", "DELETED namespaces/a")
}

func TestJustCreatedNamespaceIsEmptiedToo(t *testing.T) {
	c := newCluster(t, true)
	c.create("namespaces/n")
	c.delete("namespaces/n") // before the controllers created anything, perhaps
	for range 2 {
		c.next() // ADDED, and then MODIFIED or what came in between
	}
	c.clock.AwaitTimers(1)
	c.clock.Advance(5 * time.Second)
	for event := c.next(); event != "DELETED namespaces/n"; event = c.next() {
	}
	for _, path := range []string{"serviceaccounts/n/default", "configmaps/n/kube-root-ca.crt"} {
		if c.exists(path) {
			t.Errorf("%s outlives its namespace", path)
		}
	}
}

func TestSwitch(t *testing.T) {
	c := newCluster(t, false)
	c.create("namespaces/a")
	c.expect("ADDED namespaces/a")
	c.set.Switch(true)
	c.expect("ADDED serviceaccounts/a/default, ADDED configmaps/a/kube-root-ca.crt")
	c.delete("namespaces/a")
	c.expect("MODIFIED namespaces/a")
	c.clock.AwaitTimers(1)

	c.set.Switch(false)
	c.set.Switch(false)
	c.set.idle()
	c.create("namespaces/b")
	c.expect("ADDED namespaces/b")
	c.clock.Advance(time.Hour)
	head := c.Store.Status().Head
	c.set.idle()
	if now := c.Store.Status().Head; now != head || !c.exists("configmaps/a/kube-root-ca.crt") {
		t.Errorf("revision %d became %d while off", head, now)
	}

	c.set.Switch(true)
	c.set.Switch(false)
	c.set.idle() // so that only the last run has timers
	c.set.Switch(true)
	c.expect("ADDED serviceaccounts/b/default, ADDED configmaps/b/kube-root-ca.crt")
	c.pass(5 * time.Second)
	c.expect("DELETED configmaps/a/kube-root-ca.crt, DELETED serviceaccounts/a/default", "MODIFIED namespaces/a",
		"DELETED namespaces/a")

	c.set.Stop()
	c.set.Switch(false)
	c.set.Switch(true) // for good
	c.set.idle()
	c.set.Stop()
}

// idle returns when no run is in progress. The set must be off.
func (s *Set) idle() {
	s.always.idle()
	s.resting.idle()
}

// idle returns when no run is in progress. The group must be off.
func (g *group) idle() {
	for _, c := range g.controllers {
		c.busy.Lock()
		c.busy.Unlock() //nolint:staticcheck // the lock is what was waited for
	}
}

func TestControllersRecoverFromCompaction(t *testing.T) {
	c := newCluster(t, true)
	for i := range 200 {
		name := fmt.Sprint("n", i)
		c.create("namespaces/" + name)
		if err := c.Store.Compact(c.Store.Status().Head); err != nil && !errors.Is(err, mvcc.ErrCompacted) {
			t.Fatal(err)
		}
	}
	c.await(func() bool {
		for i := range 200 {
			if !c.exists(fmt.Sprintf("configmaps/n%d/kube-root-ca.crt", i)) {
				return false
			}
		}
		return true
	})
}

// await waits for a condition, which may come true with any write.
func (c *cluster) await(condition func() bool) {
	c.Helper()
	late := time.After(patience)
	for !condition() {
		select {
		case <-c.watcher.Ready():
			if _, err := c.watcher.Next(0, 0); errors.Is(err, mvcc.ErrCompacted) {
				c.watcher.Close()
				if c.watcher, err = c.Store.Watch(mvcc.Scope{}, c.Store.Status().Head); err != nil {
					c.Fatal(err)
				}
			}
		case <-late:
			c.Fatal("it did not come true")
		}
	}
}

// TestManyNamespacesAtOnce lets clients create, fill and delete namespaces while the controllers
// run and are switched.
func TestManyNamespacesAtOnce(t *testing.T) {
	c := newCluster(t, true)
	var clients sync.WaitGroup
	for k := range 4 {
		clients.Go(func() {
			for i := range 10 {
				name := fmt.Sprintf("n%d-%d", k, i)
				c.create("namespaces/" + name)
				c.create("secrets/" + name + "/s")
				c.delete("namespaces/" + name)
			}
		})
	}
	clients.Go(func() {
		for range 20 {
			c.set.Switch(false)
			c.set.Switch(true)
		}
	})
	clients.Wait()
	namespaces := registry.Target{Resource: c.Table.Resource("", "v1", "namespaces")}
	over := make(chan struct{})
	go func() {
		for {
			select {
			case <-over:
				return
			default:
				c.clock.AwaitTimers(1)
				c.clock.Advance(time.Second)
			}
		}
	}()
	c.await(func() bool {
		list, err := c.List(context.Background(), namespaces, registry.ListOptions{})
		return err == nil && len(list.Items) == 0
	})
	close(over)
	c.clock.NewTimer(time.Hour) // lets the clock's goroutine end
	for _, plural := range []string{"secrets", "configmaps", "serviceaccounts"} {
		list, err := c.List(t.Context(), registry.Target{Resource: c.Table.Resource("", "v1", plural)},
			registry.ListOptions{})
		if err != nil || len(list.Items) > 0 {
			t.Errorf("%d %s are left, %v", len(list.Items), plural, err)
		}
	}
}

func TestFailuresAreRetriedLaterAndLater(t *testing.T) {
	manual := clock.NewManual(time.Now())
	store := mvcc.New(manual.Now)
	if _, err := store.Put("things", "a", 0, func(int64) ([]byte, any) { return []byte("{}"), nil }); err != nil {
		t.Fatal(err)
	}
	calls := make(chan time.Time)
	c := &controller{store: store, clock: manual, plan: plan{
		buckets: func() []string { return []string{"things"} },
		notice:  func(e *mvcc.Event, add add) { add(e.Key, 0) },
		reconcile: func(context.Context, string) (time.Duration, error) {
			calls <- manual.Now()
			return 0, errors.New("no")
		},
	}}
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { c.run(ctx) })
	last := <-calls
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		manual.AwaitTimers(1)
		manual.Advance(want*time.Second - 1)
		manual.AwaitTimers(1)
		manual.Advance(1)
		now := <-calls
		if got := now.Sub(last); got != want*time.Second {
			t.Errorf("tried again after %v, want %v s", got, want)
		}
		last = now
	}
	cancel()
	run.Wait()
}

func TestQueueKeepsTheEarliestTime(t *testing.T) {
	manual := clock.NewManual(time.Now())
	q := newQueue(manual)
	q.add("late", 10*time.Second)
	q.add("a", 5*time.Second)
	q.add("b", 5*time.Second)
	q.add("a", 7*time.Second)
	q.add("c", 5*time.Second)
	q.add("late", 6*time.Second)
	q.remove("c")
	q.remove("never there")
	manual.Advance(5 * time.Second)
	for _, want := range []string{"a 0s", "b 0s", "late 1s"} {
		key, wait, ok := q.next()
		if got := fmt.Sprint(key, " ", wait); !ok || got != want {
			t.Errorf("next is %q, want %q", got, want)
		}
		q.remove(key)
	}
	if key, _, ok := q.next(); ok {
		t.Errorf("%q is left", key)
	}
}
