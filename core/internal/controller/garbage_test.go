// More than 400 lines: the cases share one cluster and its owners.

package controller

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// newGarbage returns a cluster with controllers and the namespace g.
func newGarbage(t *testing.T) *cluster {
	c := newCluster(t, true)
	c.create("namespaces/g")
	c.created("g")
	return c
}

// specs are the required specs of objects.
var specs = map[string]func() map[string]any{
	"pods": func() map[string]any {
		return map[string]any{"containers": []any{map[string]any{"name": "c", "image": "x"}}}
	},
	"replicasets": workload,
	"deployments": workload,
}

func workload() map[string]any {
	return map[string]any{
		"selector": map[string]any{"matchLabels": map[string]any{"app": "x"}},
		"template": map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"app": "x"}},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "image": "x"}}},
		},
	}
}

// make creates an object and waits for its event. Arguments with a slash and a dot are finalizers,
// others the paths of its owners, with blockOwnerDeletion if there is a "!" before them.
func (c *cluster) make(path string, others ...string) {
	c.Helper()
	c.makeUnnoticed(path, others...)
	c.expect("ADDED " + path)
}

func (c *cluster) makeUnnoticed(path string, others ...string) {
	c.Helper()
	t := c.target(path)
	obj := map[string]any{"kind": t.Kind, "apiVersion": t.APIVersion(), "metadata": map[string]any{"name": t.Name}}
	if spec := specs[t.Plural]; spec != nil {
		obj["spec"] = spec()
	}
	var finalizers []string
	var refs []any
	for _, other := range others {
		if strings.Contains(other, ".") {
			finalizers = append(finalizers, other)
			continue
		}
		refs = append(refs, c.reference(other))
	}
	object.SetFinalizers(obj, finalizers)
	if len(refs) > 0 {
		object.Meta(obj)["ownerReferences"] = refs
	}
	if _, err := c.Create(c.Context(), t, obj, registry.WriteOptions{}); err != nil {
		c.Fatal(err)
	}
}

// reference returns an entry of ownerReferences for the object at a path. The uid of
// an object that does not exist is its path.
func (c *cluster) reference(path string) map[string]any {
	c.Helper()
	path, blocks := strings.CutPrefix(path, "!")
	t, uid := c.target(path), path
	if obj := c.find(path); obj != nil { // the collector may delete it meanwhile
		uid = object.UID(obj)
	}
	ref := map[string]any{"apiVersion": t.APIVersion(), "kind": t.Kind, "name": t.Name, "uid": uid}
	if blocks {
		ref["blockOwnerDeletion"] = true
	}
	return ref
}

// drop deletes an object by a policy.
func (c *cluster) drop(path, policy string) {
	c.Helper()
	if _, _, err := c.Delete(c.Context(), c.target(path), registry.DeleteOptions{PropagationPolicy: policy}); err != nil {
		c.Fatal(err)
	}
}

// own changes the owners of an object.
func (c *cluster) own(path string, owners ...string) {
	c.Helper()
	var refs []any
	for _, owner := range owners {
		refs = append(refs, c.reference(owner))
	}
	c.update(path, func(obj map[string]any) { object.Meta(obj)["ownerReferences"] = refs })
}

// owners returns the names of an object's owners, with a "!" for blockOwnerDeletion.
func (c *cluster) owners(path string) string {
	c.Helper()
	var names []string
	for _, ref := range object.GetList(c.read(path), "metadata", "ownerReferences") {
		name := referenceOf(ref).name
		if referenceOf(ref).blocks {
			name = "!" + name
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// quiet waits until the collector has nothing to do. To find out, it creates an object whose owner
// does not exist and waits for its deletion, twice, because objects that exist when the collector
// starts may be processed first.
func (c *cluster) quiet() {
	c.Helper()
	for n, quiet := 0, 0; quiet < 2; n++ {
		name := fmt.Sprint("configmaps/g/quiet-", n)
		head := c.Store.Status().Head
		c.makeUnnoticed(name, "configmaps/g/nobody")
		for event := c.next(); event != "DELETED "+name; event = c.next() {
		}
		if quiet++; c.Store.Status().Head != head+2 {
			quiet = 0
		}
	}
}

// stays checks that nothing happens.
func (c *cluster) stays(paths ...string) {
	c.Helper()
	name := "configmaps/g/stays"
	c.make(name, "configmaps/g/nobody")
	c.expect("DELETED " + name)
	for _, path := range paths {
		if !c.exists(path) {
			c.Errorf("%s is gone", path)
		}
	}
}

func TestBackground(t *testing.T) {
	c := newGarbage(t)
	c.make("configmaps/g/own")
	c.make("configmaps/g/own-a", "configmaps/g/own")
	c.make("configmaps/g/own-b", "!configmaps/g/own")
	c.stays("configmaps/g/own-a", "configmaps/g/own-b")
	c.drop("configmaps/g/own", "")
	c.expect("DELETED configmaps/g/own", "DELETED configmaps/g/own-a, DELETED configmaps/g/own-b")
}

// chain creates a Deployment with a ReplicaSet with a Pod.
func (c *cluster) chain() {
	c.Helper()
	c.make("deployments/g/web")
	c.make("replicasets/g/web-1", "!deployments/g/web")
	c.make("pods/g/web-1-x", "!replicasets/g/web-1")
}

func TestChain(t *testing.T) {
	for policy, events := range map[string][]string{
		"Background": {"DELETED deployments/g/web", "DELETED replicasets/g/web-1", "MODIFIED pods/g/web-1-x",
			"DELETED pods/g/web-1-x"},
		"Foreground": {"MODIFIED deployments/g/web", "MODIFIED replicasets/g/web-1", "MODIFIED pods/g/web-1-x",
			"DELETED pods/g/web-1-x",
			"DELETED replicasets/g/web-1", "DELETED deployments/g/web"},
		"Orphan": {"MODIFIED deployments/g/web", "MODIFIED replicasets/g/web-1", "DELETED deployments/g/web"},
	} {
		t.Run(policy, func(t *testing.T) {
			c := newGarbage(t)
			c.chain()
			c.drop("deployments/g/web", policy)
			c.expect(events...)
			if policy == "Orphan" {
				c.stays("replicasets/g/web-1", "pods/g/web-1-x")
				if refs := object.Meta(c.read("replicasets/g/web-1"))["ownerReferences"]; refs != nil {
					t.Errorf("the orphan has owners: %v", refs)
				}
				if got := c.owners("pods/g/web-1-x"); got != "!web-1" {
					t.Errorf("owners of the orphan's own dependent: %q", got)
				}
				return
			}
			c.stays()
		})
	}
}

func TestForeground(t *testing.T) {
	c := newGarbage(t)
	c.make("configmaps/g/own")
	c.make("configmaps/g/own-a", "configmaps/g/own")
	c.make("configmaps/g/own-b", "!configmaps/g/own")
	c.drop("configmaps/g/own", "Foreground")
	c.expect("MODIFIED configmaps/g/own", "DELETED configmaps/g/own-a, DELETED configmaps/g/own-b",
		"DELETED configmaps/g/own")
	c.stays()
}

func TestForegroundWaitsForBlockingDependents(t *testing.T) {
	c := newGarbage(t)
	c.make("configmaps/g/own")
	c.make("configmaps/g/b", "!configmaps/g/own", "example.com/hold")
	c.make("configmaps/g/nb", "configmaps/g/own", "example.com/hold")
	c.drop("configmaps/g/own", "Foreground")
	c.expect("MODIFIED configmaps/g/own", "MODIFIED configmaps/g/b, MODIFIED configmaps/g/nb")
	c.stays("configmaps/g/own")
	c.release("configmaps/g/b")
	c.expect("DELETED configmaps/g/b", "DELETED configmaps/g/own")
	c.stays("configmaps/g/nb")
	if got := c.owners("configmaps/g/nb"); got != "own" {
		t.Errorf("owners %q, want the one that is gone", got)
	}
}

func TestForegroundEndsWhenNothingBlocks(t *testing.T) {
	for name, owners := range map[string][]string{"not blocking": {"configmaps/g/own"}, "not owned": {}} {
		t.Run(name, func(t *testing.T) {
			c := newGarbage(t)
			c.make("configmaps/g/own")
			c.make("configmaps/g/b", "!configmaps/g/own", "example.com/hold")
			c.drop("configmaps/g/own", "Foreground")
			c.expect("MODIFIED configmaps/g/own", "MODIFIED configmaps/g/b")
			c.stays("configmaps/g/own")
			c.own("configmaps/g/b", owners...)
			c.expect("MODIFIED configmaps/g/b", "DELETED configmaps/g/own")
		})
	}
}

func TestDependentWithAnotherOwnerStays(t *testing.T) {
	for policy, events := range map[string][]string{
		"Background": {"DELETED configmaps/g/own", "MODIFIED configmaps/g/dep"},
		"Foreground": {"MODIFIED configmaps/g/own", "MODIFIED configmaps/g/dep", "DELETED configmaps/g/own"},
	} {
		t.Run(policy, func(t *testing.T) {
			c := newGarbage(t)
			c.make("configmaps/g/own")
			c.make("secrets/g/other")
			c.make("configmaps/g/dep", "!configmaps/g/own", "!secrets/g/other")
			c.drop("configmaps/g/own", policy)
			c.expect(events...)
			if got := c.owners("configmaps/g/dep"); got != "!other" {
				t.Errorf("owners %q", got)
			}
			c.drop("secrets/g/other", "")
			c.expect("DELETED secrets/g/other", "DELETED configmaps/g/dep")
		})
	}
}

func TestOwnerHeldByAFinalizerKeepsItsDependents(t *testing.T) {
	c := newGarbage(t)
	c.make("configmaps/g/own", "example.com/hold")
	c.make("configmaps/g/dep", "configmaps/g/own")
	c.drop("configmaps/g/own", "Background")
	c.expect("MODIFIED configmaps/g/own")
	c.stays("configmaps/g/dep")
	c.release("configmaps/g/own")
	c.expect("DELETED configmaps/g/own", "DELETED configmaps/g/dep")
}

func TestDanglingOwners(t *testing.T) {
	c := newGarbage(t)
	c.make("secrets/g/there")
	for what, ref := range map[string]map[string]any{
		"one that does not exist": {"apiVersion": "v1", "kind": "Secret", "name": "nobody", "uid": "u"},
		"one with another uid":    {"apiVersion": "v1", "kind": "Secret", "name": "there", "uid": "u"},
		"one in another namespace": {"apiVersion": "v1", "kind": "ServiceAccount", "name": "there",
			"uid": object.UID(c.read("secrets/g/there"))},
		"one that is not in namespaces": {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"},
	} {
		at := c.target("configmaps/g/dep")
		obj := map[string]any{"kind": "ConfigMap", "apiVersion": "v1",
			"metadata": map[string]any{"name": "dep", "ownerReferences": []any{ref}}}
		if _, err := c.Create(t.Context(), at, obj, registry.WriteOptions{}); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		c.expect("ADDED configmaps/g/dep", "DELETED configmaps/g/dep")
	}
	// If another owner exists, the reference is removed.
	c.make("configmaps/g/dep", "configmaps/g/nobody", "secrets/g/there")
	c.expect("MODIFIED configmaps/g/dep")
	if got := c.owners("configmaps/g/dep"); got != "there" {
		t.Errorf("owners %q", got)
	}
	// So it is when a reference is changed.
	c.own("configmaps/g/dep", "configmaps/g/nobody")
	c.expect("MODIFIED configmaps/g/dep", "DELETED configmaps/g/dep")
}

func TestRecreatedOwnerIsAnother(t *testing.T) {
	c := newGarbage(t)
	c.make("configmaps/g/own")
	c.make("configmaps/g/dep", "configmaps/g/own")
	c.set.Switch(false)
	c.set.idle()
	c.drop("configmaps/g/own", "")
	c.makeUnnoticed("configmaps/g/own")
	c.set.Switch(true)
	c.expect("DELETED configmaps/g/own", "ADDED configmaps/g/own", "DELETED configmaps/g/dep")
	c.stays("configmaps/g/own")
}

func TestUnknownOwners(t *testing.T) {
	c := newGarbage(t)
	nope := []any{map[string]any{"apiVersion": "nope/v1", "kind": "Nope", "name": "n", "uid": "u"}}
	at := c.target("configmaps/g/nope")
	obj := map[string]any{"kind": "ConfigMap", "apiVersion": "v1",
		"metadata": map[string]any{"name": "nope", "ownerReferences": nope}}
	if _, err := c.Create(t.Context(), at, obj, registry.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.expect("ADDED configmaps/g/nope")
	// An object in a namespace cannot own a cluster-scoped one.
	in := []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "nobody", "uid": "u"}}
	obj = map[string]any{"kind": "PriorityClass", "apiVersion": "scheduling.k8s.io/v1", "value": int64(1),
		"metadata": map[string]any{"name": "p", "ownerReferences": in}}
	if _, err := c.Create(t.Context(), c.target("priorityclasses/p"), obj, registry.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.expect("ADDED priorityclasses/p")
	c.stays("configmaps/g/nope", "priorityclasses/p")
	for range 3 {
		c.pass(time.Minute)
	}
	c.stays("configmaps/g/nope", "priorityclasses/p")
}

func TestClusterScopedOwners(t *testing.T) {
	c := newGarbage(t)
	c.make("priorityclasses/x")
	c.make("configmaps/g/a", "priorityclasses/x")
	c.drop("priorityclasses/x", "Foreground")
	c.expect("MODIFIED priorityclasses/x", "DELETED configmaps/g/a", "DELETED priorityclasses/x")
}

func TestCycles(t *testing.T) {
	for _, policy := range []string{"Background", "Foreground"} {
		t.Run(policy, func(t *testing.T) {
			c := newGarbage(t)
			c.make("configmaps/g/a")
			c.make("configmaps/g/b", "!configmaps/g/a")
			c.make("configmaps/g/c", "!configmaps/g/b")
			c.own("configmaps/g/a", "!configmaps/g/c")
			c.quiet()
			c.drop("configmaps/g/a", policy)
			c.quiet()
			for _, path := range []string{"configmaps/g/a", "configmaps/g/b", "configmaps/g/c"} {
				if c.exists(path) {
					t.Errorf("%s is left: %v", path, c.read(path))
				}
			}
		})
	}
}

// TestSwitchedOnItCatchesUp makes all changes while the collector is off.
func TestSwitchedOnItCatchesUp(t *testing.T) {
	c := newGarbage(t)
	c.set.Switch(false)
	c.set.idle()
	c.chain()
	c.make("configmaps/g/o")
	c.make("configmaps/g/od", "configmaps/g/o")
	c.make("configmaps/g/b")
	c.make("configmaps/g/bd", "configmaps/g/b")
	c.drop("deployments/g/web", "Foreground")
	c.drop("configmaps/g/o", "Orphan")
	c.drop("configmaps/g/b", "")
	c.expect("MODIFIED deployments/g/web", "MODIFIED configmaps/g/o", "DELETED configmaps/g/b")
	c.set.Switch(true)
	c.quiet()
	for path, want := range map[string]bool{
		"deployments/g/web": false, "replicasets/g/web-1": false, "pods/g/web-1-x": false,
		"configmaps/g/o": false, "configmaps/g/od": true, "configmaps/g/bd": false,
	} {
		if got := c.exists(path); got != want {
			t.Errorf("%s exists: %v", path, got)
		}
	}
}

// TestCycleOfForegroundDeletions has two objects that own one another deleted in the foreground before the collector
// has seen either: each waits for the other, as in kube-controller-manager (processDeletingDependentsItem skips
// dependents that wait), until one of them blocks no longer.
func TestCycleOfForegroundDeletions(t *testing.T) {
	c := newGarbage(t)
	c.set.Switch(false)
	c.make("configmaps/g/a")
	c.make("configmaps/g/b", "!configmaps/g/a")
	c.own("configmaps/g/a", "!configmaps/g/b")
	c.drop("configmaps/g/a", "Foreground")
	c.drop("configmaps/g/b", "Foreground")
	c.set.Switch(true)
	c.quiet()
	for _, path := range []string{"configmaps/g/a", "configmaps/g/b"} {
		if !c.exists(path) {
			t.Fatalf("%s does not wait", path)
		}
	}
	c.checkGarbage()
	c.own("configmaps/g/a", "configmaps/g/b")
	c.quiet()
	for _, path := range []string{"configmaps/g/a", "configmaps/g/b"} {
		if c.exists(path) {
			t.Errorf("%s is left", path)
		}
	}
}

func TestDryRunLeavesDependents(t *testing.T) {
	c := newGarbage(t)
	c.make("configmaps/g/own")
	c.make("configmaps/g/dep", "!configmaps/g/own")
	o := registry.DeleteOptions{PropagationPolicy: "Foreground", WriteOptions: registry.WriteOptions{DryRun: true}}
	if _, _, err := c.Delete(t.Context(), c.target("configmaps/g/own"), o); err != nil {
		t.Fatal(err)
	}
	c.stays("configmaps/g/own", "configmaps/g/dep")
}

func TestCollectorRecoversFromCompaction(t *testing.T) {
	c := newGarbage(t)
	for i := range 100 {
		own, dep := fmt.Sprint("configmaps/g/own-", i), fmt.Sprint("configmaps/g/dep-", i)
		c.makeUnnoticed(own)
		c.makeUnnoticed(dep, own)
		c.drop(own, "")
		if err := c.Store.Compact(c.Store.Status().Head); err != nil && !errors.Is(err, mvcc.ErrCompacted) {
			t.Fatal(err)
		}
	}
	c.await(func() bool {
		list, err := c.List(t.Context(), c.target("configmaps/g/"), registry.ListOptions{})
		return err == nil && len(list.Items) == 1 // kube-root-ca.crt
	})
}

// TestFieldManager checks the entries of managedFields after the writes of controllers: "manager
// operation subresource".
// refusing is a guard that refuses the deletion of an object, and reports when it does.
type refusing struct {
	key   string
	tries chan time.Time
	now   func() time.Time
}

func (g *refusing) Own(*mvcc.Write) *mvcc.Owners    { return nil }
func (g *refusing) Count(e *mvcc.Event, change int) {}

func (g *refusing) Judge(w *mvcc.Write, _ *mvcc.Owners) (bool, error) {
	if w.Key != g.key || !w.Deletes {
		return false, nil
	}
	g.tries <- g.now()
	return false, status.NewForbidden(status.GroupResource{Resource: "configmaps"}, w.Key, "it stays")
}

// TestRefusedDeletionIsRetriedLaterAndLater has the store refuse what the collector deletes.
func TestRefusedDeletionIsRetriedLaterAndLater(t *testing.T) {
	c := newCluster(t, false)
	guard := &refusing{key: "g/kept", tries: make(chan time.Time, 100), now: c.clock.Now}
	c.Store.SetGuard(guard)
	c.create("namespaces/g")
	c.expect("ADDED namespaces/g")
	c.make("configmaps/g/kept", "configmaps/g/nobody")
	c.set.Switch(true)
	last := <-guard.tries
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		c.pass(want*time.Second - 1)
		c.pass(1)
		now := <-guard.tries
		if got := now.Sub(last); got != want*time.Second {
			t.Errorf("tried again after %v, want %v s", got, want)
		}
		last = now
	}
	if len(guard.tries) > 0 || !c.exists("configmaps/g/kept") {
		t.Errorf("tried %d times more", len(guard.tries))
	}
}

func TestFieldManager(t *testing.T) {
	c := newGarbage(t)
	managers := func(path string) (all []string) {
		for _, e := range object.GetList(c.read(path), "metadata", "managedFields") {
			entry := e.(map[string]any)
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s",
				entry["manager"], entry["operation"], object.GetString(entry, "subresource"))))
		}
		return all
	}
	for _, path := range []string{"serviceaccounts/g/default", "configmaps/g/kube-root-ca.crt"} {
		want := []string{"kube-controller-manager Update"}
		if path == "serviceaccounts/g/default" {
			want = nil // none of its fields has a manager
		}
		if got := managers(path); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	c.make("configmaps/g/own")
	c.make("configmaps/g/dep", "configmaps/g/own")
	before := managers("configmaps/g/dep")
	c.drop("configmaps/g/own", "Orphan")
	c.expect("MODIFIED configmaps/g/own", "MODIFIED configmaps/g/dep", "DELETED configmaps/g/own")
	for _, got := range managers("configmaps/g/dep") {
		if !slices.Contains(before, got) {
			t.Errorf("the orphan has fields of %s", got)
		}
	}
	c.make("secrets/g/held", "example.com/hold")
	c.delete("namespaces/g")
	c.expect("MODIFIED namespaces/g")
	c.pass(5 * time.Second)
	for event := c.next(); event != "MODIFIED namespaces/g"; event = c.next() {
	}
	if got := managers("namespaces/g"); !slices.Contains(got, "kube-controller-manager Update status") {
		t.Errorf("the namespace has fields of %q", got)
	}
}

// TestNothingIsLeftWithoutOwners makes random changes to a random graph. In the end there is no object left all of
// whose owners are gone, and none that is being deleted, but for those that wait for one another: see
// TestCycleOfForegroundDeletions. Whether the collector sees one deletion before the next is up to the scheduler.
func TestNothingIsLeftWithoutOwners(t *testing.T) {
	for seed := range uint64(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 0))
			c := newGarbage(t)
			var paths []string
			for i := range 30 {
				var owners []string
				for range rnd.IntN(4) {
					if i > 0 {
						owners = append(owners, strings.Repeat("!", rnd.IntN(2))+paths[rnd.IntN(i)])
					}
				}
				paths = append(paths, fmt.Sprintf("%s/g/n%d", []string{"configmaps", "secrets", "pods"}[rnd.IntN(3)], i))
				c.makeUnnoticed(paths[i], owners...)
			}
			for range 15 {
				path := paths[rnd.IntN(len(paths))]
				if !c.exists(path) {
					continue
				}
				switch policy := []string{"Background", "Foreground", "Orphan", "switch", "own"}[rnd.IntN(5)]; policy {
				case "switch":
					c.set.Switch(false)
					c.set.Switch(true)
				case "own": // another owner, perhaps in a cycle
					if owner := paths[rnd.IntN(len(paths))]; owner != path {
						c.tryOwn(path, "!"+owner)
					}
				default:
					_, _, err := c.Delete(t.Context(), c.target(path), registry.DeleteOptions{PropagationPolicy: policy})
					if err != nil && c.exists(path) {
						t.Fatal(err)
					}
				}
			}
			c.quiet()
			c.checkGarbage()
		})
	}
}

// tryOwn adds an owner to an object if both still exist.
func (c *cluster) tryOwn(path, owner string) {
	ref := c.reference(owner)
	c.Update(c.Context(), c.target(path), func(old map[string]any) (map[string]any, error) {
		object.Meta(old)["ownerReferences"] = append(object.GetList(old, "metadata", "ownerReferences"), ref)
		return old, nil
	}, false, registry.WriteOptions{})
}

// checkGarbage checks all objects once the collector is quiet.
func (c *cluster) checkGarbage() {
	c.Helper()
	var all []map[string]any
	exists := map[string]bool{}
	for _, row := range c.Table.Resources() {
		page, err := c.Store.Range(row.Bucket(), mvcc.Query{})
		if err != nil {
			c.Fatal(err)
		}
		for _, item := range page.Items {
			obj, err := decode(registry.Target{Resource: row}, item.Value)
			if err != nil {
				c.Fatal(err)
			}
			all = append(all, obj)
			exists[object.UID(obj)] = true
		}
	}
	waiting := waitingInCycles(all)
	for _, obj := range all {
		refs := object.GetList(obj, "metadata", "ownerReferences")
		there := slices.ContainsFunc(refs, func(ref any) bool { return exists[referenceOf(ref).uid] })
		if len(refs) > 0 && !there {
			c.Errorf("%s %s is left without an owner", object.Kind(obj), object.Name(obj))
		}
		if object.DeletionTimestamp(obj) != "" && !waiting[object.UID(obj)] {
			c.Errorf("%s %s is never deleted: %v", object.Kind(obj), object.Name(obj), obj["metadata"])
		}
	}
}

// waitingInCycles returns the uids of the objects of which each is being deleted in the foreground, and blocked by
// another one of them.
func waitingInCycles(all []map[string]any) map[string]bool {
	waiting := map[string]bool{}
	for _, obj := range all {
		if object.DeletionTimestamp(obj) != "" && slices.Contains(object.Finalizers(obj), foregroundDeletion) {
			waiting[object.UID(obj)] = true
		}
	}
	for before := -1; before != len(waiting); {
		before = len(waiting)
		blocked := map[string]bool{} // by one of those
		for _, obj := range all {
			for _, entry := range object.GetList(obj, "metadata", "ownerReferences") {
				if ref := referenceOf(entry); ref.blocks && waiting[object.UID(obj)] {
					blocked[ref.uid] = true
				}
			}
		}
		maps.DeleteFunc(waiting, func(uid string, _ bool) bool { return !blocked[uid] })
	}
	return waiting
}

// BenchmarkCollect deletes an owner with dependents. The cost of each must not depend on their
// number.
func BenchmarkCollect(b *testing.B) {
	for _, dependents := range []int{1000, 20_000} {
		for _, policy := range []string{"Background", "Foreground", "Orphan"} {
			b.Run(fmt.Sprintf("%s/%d", policy, dependents), func(b *testing.B) {
				c := newCluster(b, true)
				c.create("namespaces/g")
				c.created("g")
				for b.Loop() {
					b.StopTimer()
					c.set.Switch(false)
					c.make("configmaps/g/own")
					ref := "!configmaps/g/own"
					for i := range dependents {
						c.makeUnnoticed(fmt.Sprint("configmaps/g/dep-", i), ref)
					}
					c.set.Switch(true)
					c.quiet()
					b.StartTimer()
					c.drop("configmaps/g/own", policy)
					for event := c.next(); event != "DELETED configmaps/g/own"; event = c.next() {
					}
					c.quiet()
					b.StopTimer()
					for i := range dependents {
						if policy == "Orphan" {
							c.delete(fmt.Sprint("configmaps/g/dep-", i))
						}
					}
					c.quiet()
					if err := c.Store.Compact(c.Store.Status().Head); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*dependents), "ns/dependent")
			})
		}
	}
}
