package schema

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// recorded is a line of testdata/resources.jsonl, from the discovery of a running kube-apiserver.
type recorded struct {
	Group, Version, Resource, Scope, Kind string
	ShortNames, Categories, Verbs         []string
	Subresources                          []map[string][]string
}

func readRecorded(t *testing.T) []recorded {
	t.Helper()
	f, err := os.Open("testdata/resources.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []recorded
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func TestBuiltinIsWhatAServerServes(t *testing.T) {
	rows := Builtin().Resources()
	want := readRecorded(t)
	if len(rows) != len(want) || len(want) < 68 {
		t.Fatalf("%d resources, recorded %d", len(rows), len(want))
	}
	groups := map[string]bool{}
	for i, w := range want {
		r := rows[i]
		groups[w.Group] = true
		got := recorded{
			Group: r.Group, Version: r.Version, Resource: r.Plural, Scope: "Cluster", Kind: r.Kind,
			ShortNames: r.ShortNames, Categories: r.Categories, Verbs: r.Verbs, Subresources: []map[string][]string{},
		}
		if r.Namespaced {
			got.Scope = "Namespaced"
		}
		for _, s := range r.Subresources {
			got.Subresources = append(got.Subresources, map[string][]string{s.Name: s.Verbs})
		}
		if !reflect.DeepEqual(got, w) {
			t.Errorf("row %d:\n got %+v\nwant %+v", i, got, w)
		}
	}
	if all := Builtin().Groups(); all[0].Name != "" || len(all) != len(groups) {
		t.Errorf("groups: %v", all)
	}
}

func TestEveryRowHasItsTypes(t *testing.T) {
	served := map[string]bool{} // in however many versions
	for _, r := range Builtin().Resources() {
		served[r.GroupResource()] = true
		typ := r.Type()
		if typ == nil || typ.Field("apiVersion") == nil || typ.Field("metadata") == nil {
			t.Errorf("%s: type %+v", r.GroupResource(), typ)
			continue
		}
		if r.ListKind != "" {
			list := TypeOf(r.Group, r.Version, r.ListKind)
			if list == nil || list.Field("items").Type.Elem != typ {
				t.Errorf("%s: its list does not hold its type", r.GroupResource())
			}
		}
		for i := range r.Subresources {
			if s := &r.Subresources[i]; s.Type() == nil {
				t.Errorf("%s/%s has no type", r.GroupResource(), s.Name)
			}
		}
		if r.Virtual != (r.StoragePrefix == "") || r.Virtual != (r.StorageVersionHash == "") {
			t.Errorf("%s: virtual %v, prefix %q, hash %q", r.GroupResource(), r.Virtual, r.StoragePrefix, r.StorageVersionHash)
		}
	}
	if len(behaviours) != len(served) {
		t.Errorf("behaviours of %d resources, of %d", len(behaviours), len(served))
	}
}

func TestRowDetails(t *testing.T) {
	table := Builtin()
	svc := table.Resource("", "v1", "services")
	if svc.StoragePrefix != "/registry/services/specs" || !svc.CreateOnUpdate || !svc.ReturnsDeleted ||
		svc.HasGeneration || svc.NameRule != DNSLabel {
		t.Errorf("services: %+v", svc)
	}
	if svc.StorageVersionHash != "0/CO1lhkEBI=" || svc.ListKind != "ServiceList" || svc.Singular != "service" {
		t.Errorf("services: %+v", svc)
	}
	// Hashes of resources that are stored in another version, as the discovery documents show them.
	for _, c := range []struct{ group, version, plural, hash string }{
		{"autoscaling", "v1", "horizontalpodautoscalers", "qwQve8ut294="},
		{"autoscaling", "v2", "horizontalpodautoscalers", "qwQve8ut294="},
		{"events.k8s.io", "v1", "events", "r2yiGXH7wu8="},
		{"apiextensions.k8s.io", "v1", "customresourcedefinitions", "jfWCUB31mvA="},
	} {
		if got := table.Resource(c.group, c.version, c.plural).StorageVersionHash; got != c.hash {
			t.Errorf("%s/%s %s: hash %s, want %s", c.group, c.version, c.plural, got, c.hash)
		}
	}
	ev := table.Resource("", "v1", "pods").Subresource("eviction")
	if ev.Group != "policy" || ev.Version != "v1" || ev.Kind != "Eviction" || !ev.HasVerb("create") || ev.HasVerb("get") {
		t.Errorf("eviction: %+v", ev)
	}
	if got := table.ByKind("apps", "v1", "Deployment").GroupResource(); got != "deployments.apps" {
		t.Errorf("ByKind found %s", got)
	}
	if table.Resource("apps", "v1", "pods") != nil || table.ByKind("", "v1", "Deployment") != nil {
		t.Error("found a resource in the wrong group")
	}
	g, ok := table.Group("autoscaling")
	if !ok || !slices.Equal(g.Versions, []string{"v2", "v1"}) {
		t.Errorf("autoscaling: %v", g)
	}
}

func TestAddAndRemove(t *testing.T) {
	table, other := Builtin(), Builtin()
	builtin := len(table.Resources())
	widget := &Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"}
	old := &Resource{Group: "example.com", Version: "v1alpha1", Plural: "widgets", Kind: "Widget"}
	gadget := &Resource{Group: "example.com", Version: "v1", Plural: "gadgets", Kind: "Gadget"}
	table.Add(widget, old)
	table.Add(gadget)
	if g, _ := table.Group("example.com"); !slices.Equal(g.Versions, []string{"v1", "v1alpha1"}) {
		t.Errorf("versions %v", g.Versions)
	}
	if got := table.GroupVersion("example.com", "v1"); !slices.Equal(got, []*Resource{widget, gadget}) {
		t.Errorf("v1: %v", got)
	}
	if widget.Type() != nil {
		t.Error("a custom resource has a type")
	}
	if other.Resource("example.com", "v1", "widgets") != nil {
		t.Error("a row shows in another table")
	}
	again := &Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget", Namespaced: true}
	table.Add(again)
	if got := table.GroupVersion("example.com", "v1"); !slices.Equal(got, []*Resource{again, gadget}) {
		t.Errorf("after replacing: %v", got)
	}
	table.Remove(again, old, gadget, &Resource{Plural: "nothing"})
	if _, ok := table.Group("example.com"); ok || len(table.Resources()) != builtin {
		t.Error("rows are left behind")
	}
}

func TestTableWhileItChanges(t *testing.T) {
	table := Builtin()
	builtin := len(table.Resources())
	row := &Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					runtime.Gosched() // a WebAssembly program has a single thread, which is not preempted
				}
				if n := len(table.Resources()); n != builtin && n != builtin+1 {
					t.Errorf("%d rows", n)
					return
				}
				if table.Resource("", "v1", "pods").Type() == nil {
					t.Error("pods lost their type")
					return
				}
			}
		})
	}
	for range 200 {
		table.Add(row)
		table.Remove(row)
	}
	close(stop)
	readers.Wait()
}
