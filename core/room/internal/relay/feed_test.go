package relay

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// TestFeed reads a feed at different paces: a reader behind its ring gets the same lines, and
// the ring keeps no more than it may.
func TestFeed(t *testing.T) {
	store := mvcc.New(func() time.Time { return time.Unix(1, 0) })
	r := &Relay{Registry: &registry.Registry{Store: store, Table: schema.Builtin()}}
	put := func(bucket, key, value string) {
		t.Helper()
		var expect int64
		if v := store.Latest(bucket, key); v != nil {
			expect = v.Revision
		}
		_, err := store.Put(bucket, key, expect, func(int64) ([]byte, any) { return []byte(value), nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	grants := &Grants{
		Cluster:    map[string]string{"/configmaps": "list watch", "/secrets": "get list"},
		Namespaces: map[string]map[string]string{"mine": {"*/*": "list watch"}},
	}
	f, err := r.enter(grants)
	if err != nil {
		t.Fatal(err)
	}
	if same, _ := r.enter(grants); same != f || f.followers != 2 {
		t.Errorf("%d followers", f.followers)
	}
	put("v1/configmaps", "default/a", `{"a":1}`)
	put("v1/secrets", "default/s", `{"hidden":1}`)
	put("v1/secrets", "default/s", `{"hidden":2}`)
	put("v1/secrets", "mine/s", `{"shown":1}`)
	lines, to, err := f.after(1, nil)
	const at = `"time":"1970-01-01T00:00:01Z"`
	want := `{"type":"COMMIT","revision":2,"created":2,` + at + `,"bucket":"v1/configmaps","key":"default/a",` +
		`"object":{"a":1}}
{"type":"HIDDEN","revision":4,` + at + `}
{"type":"COMMIT","revision":5,"created":5,` + at + `,"bucket":"v1/secrets","key":"mine/s","object":{"shown":1}}
`
	if string(lines) != want || to != 5 || err != nil {
		t.Errorf("%s up to %d, %v", lines, to, err)
	}
	if lines, to, err := f.after(5, nil); len(lines) > 0 || to != 5 || err != nil {
		t.Errorf("%s up to %d, %v", lines, to, err)
	}

	big := fmt.Sprintf(`{"b":%q}`, strings.Repeat("x", 100<<10))
	rev, all := int64(5), ""
	for range 40 {
		put("v1/configmaps", "default/b", big)
		lines, to, err := f.after(rev, nil)
		if err != nil || to != rev+1 {
			t.Fatal(to, err)
		}
		rev, all = to, all+string(lines)
	}
	if f.size > ringBytes || len(f.ring) != ringBytes/len(big) {
		t.Errorf("the ring has %d bytes in %d pieces", f.size, len(f.ring))
	}
	for start := int64(1); start <= rev; start++ { // in the ring, before it, and within a piece
		behind, end := want[strings.LastIndex(want[:len(want)-1], "\n")+1:]+all, start
		got := ""
		for end < rev {
			lines, to, err := f.after(end, nil)
			if err != nil || to <= end {
				t.Fatal(to, err)
			}
			got, end = got+string(lines), to
		}
		if start == 4 && got != behind || start == rev && got != "" {
			t.Errorf("from %d: %d bytes of lines", start, len(got))
		}
	}
	if err := store.Compact(20); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.after(10, nil); !errors.Is(err, mvcc.ErrCompacted) {
		t.Error(err)
	}
	r.leave(f)
	r.leave(f)
	if len(r.feeds) != 0 || store.Status().Watchers != 0 {
		t.Errorf("%d feeds and %d watchers are left", len(r.feeds), store.Status().Watchers)
	}
}

// TestGrants computes what rules grant for reading.
func TestGrants(t *testing.T) {
	rbac := &auth.RBAC{}
	role := func(name string, rules ...any) {
		rbac.Set("clusterroles", name, map[string]any{"rules": rules})
	}
	rule := func(verbs, groups, resources string, names ...any) any {
		list := func(text string) (all []any) {
			for _, word := range strings.Fields(text) {
				all = append(all, strings.Trim(word, "'"))
			}
			return all
		}
		return map[string]any{
			"verbs": list(verbs), "apiGroups": list(groups), "resources": list(resources), "resourceNames": names,
		}
	}
	bind := func(resource, key, role string) {
		rbac.Set(resource, key, map[string]any{
			"roleRef":  map[string]any{"kind": "ClusterRole", "name": role},
			"subjects": []any{map[string]any{"kind": "User", "name": "ada"}},
		})
	}
	role("lister", rule("list create", "'' apps", "pods pods/log deployments"), rule("get", "''", "secrets", "one"))
	role("watcher", rule("watch", "''", "pods"))
	role("all", rule("*", "*", "*"))
	bind("clusterrolebindings", "a", "lister")
	bind("clusterrolebindings", "b", "watcher")
	bind("rolebindings", "mine/c", "all")
	bind("rolebindings", "other/d", "watcher")
	ada := &auth.User{Name: "ada"}
	g := grantsOf(rbac, ada)
	for _, test := range []struct {
		group, resource, namespace string
		want                       bool
	}{
		{"", "pods", "", true}, {"", "pods", "any", true}, {"apps", "deployments", "", false}, {"", "secrets", "", false},
		{"", "secrets", "mine", true}, {"", "secrets", "other", false},
		{"sandbox.tabernetes.dev", "roomtokens", "mine", false},
	} {
		if got := g.relays(test.group, test.resource, test.namespace); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
	if _, other := g.Namespaces["other"]; other {
		t.Error("a namespace without further grants is listed")
	}
	key := g.key()
	rbac.Set("rolebindings", "mine/c", nil)
	if grantsOf(rbac, ada).key() == key {
		t.Error("other grants have the same key")
	}
	all := grantsOf(auth.AlwaysAllow{}, ada)
	if !all.relays("x", "y", "") || all.relays("sandbox.tabernetes.dev", "roomtokens", "") {
		t.Errorf("%+v", all)
	}
}
