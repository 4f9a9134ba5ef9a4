package objects

import (
	"fmt"
	"strings"
	"testing"
)

func owned(typ, name, uid string, by ...string) string {
	var refs []string
	for _, o := range by {
		refs = append(refs, fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"of-%s","uid":%q,`+
			`"controller":true,"blockOwnerDeletion":%v}`, o, o, !strings.HasPrefix(name, "free")))
	}
	return fmt.Sprintf(`{"metadata":{"name":%q,"namespace":"a","uid":%q,"ownerReferences":[%s]}}`, name, uid,
		strings.Join(refs, ","))
}

func TestReadMember(t *testing.T) {
	m, err := ReadMember(`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"n","uid":"u",
		"finalizers":["x/y","orphan"],"deletionTimestamp":"2026-01-02T03:04:05Z",
		"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"o","uid":"uo",
		"controller":false,"blockOwnerDeletion":true}],"labels":{"name":"no"}},
		"spec":{"finalizers":["kubernetes"],"x":1}}`,
		"namespaces")
	if got := fmt.Sprintf("%+v", m); err != nil ||
		got != "{Type:namespaces Kind:Namespace Namespace: Name:n UID:u Owners:[{APIVersion:v1 Kind:Node Name:o UID:uo "+
			"Controller:false Blocks:true}] "+
			"Finalizers:[x/y orphan] SpecFinalizers:[kubernetes] Deleting:true DeletedAt:2026-01-02 03:04:05 +0000 UTC}" {
		t.Errorf("%s, %v", got, err)
	}
	if m.Owner("uo") == nil || m.Owner("u") != nil {
		t.Error("owners by their UID")
	}
	for _, bad := range []string{"", "[]", `{"metadata":1}`, `{"metadata":{"ownerReferences":{}}}`} {
		if _, err := ReadMember(bad, "pods"); err == nil {
			t.Errorf("%q is an object", bad)
		}
	}
}

func TestDependents(t *testing.T) {
	sets, _, err := ReadMembers(pods(5, "next", owned("rs", "rs-1", "r1", "root"),
		owned("rs", "free-rs", "r2", "root", "other")), "replicasets.apps", "ReplicaSet")
	if err != nil {
		t.Fatal(err)
	}
	more, token, err := ReadMembers(pods(5, "", owned("pods", "p1", "p1", "r1"), owned("pods", "p2", "p2", "r2"),
		owned("pods", "loop", "r1-child", "p1"), owned("pods", "stranger", "s", "elsewhere")), "pods", "Pod")
	if err != nil || token != "" {
		t.Fatal(err, token)
	}
	// Two that own one another.
	ring, _, _ := ReadMembers(pods(5, "", owned("pods", "a", "ring-a", "ring-b", "p2"),
		owned("pods", "b", "ring-b", "ring-a")), "pods", "Pod")
	all := append(append(sets, more...), ring...)
	got := ""
	for _, d := range Dependents("root", all) {
		got += fmt.Sprintf("%s%s/%s by %s\n", strings.Repeat(" ", d.Depth-1), d.Kind, d.Name, d.By.UID)
	}
	if want := "ReplicaSet/rs-1 by root\n Pod/p1 by r1\n  Pod/loop by p1\nReplicaSet/free-rs by root\n Pod/p2 by r2\n " +
		" Pod/a by p2\n   Pod/b by ring-a\n"; got != want {
		t.Errorf("got\n%s", got)
	}
	if d := Dependents("", all); len(d) != 0 {
		t.Errorf("of nobody: %v", d)
	}

	waits := Finalizers(Member{Finalizers: []string{"foregroundDeletion", "kubernetes.io/pvc-protection",
		"my.example/hold"}, SpecFinalizers: []string{"kubernetes", "other"}}, Dependents("root", all))
	for i, want := range []string{"there is one", "No Pod may use the claim", "The controller that added it",
		"All objects in the namespace", "subresource finalize"} {
		if !strings.Contains(waits[i].Waits, want) {
			t.Errorf("%s waits for %q", waits[i].Name, waits[i].Waits)
		}
	}
	if b := waits[0].Blocking; len(b) != 1 || b[0].Name != "rs-1" || waits[3].Field != "spec.finalizers" {
		t.Errorf("%+v", waits)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(pods(5, "next", owned("rs", "rs-1", "r1", "root")))
	f.Add(object("a", "b", 3))
	f.Add(`{"metadata":{"finalizers":[1]},"items":[null]}`)
	f.Fuzz(func(t *testing.T, text string) {
		Read(text)
		ReadMember(text, "pods")
		Counted(text)
		if all, _, err := ReadMembers(text, "pods", "Pod"); err == nil {
			for _, m := range all {
				if n := len(Dependents(m.UID, all)); n > len(all) {
					t.Errorf("%d of %d depend on one", n, len(all))
				}
			}
		}
		var c Collection
		c.Begin()
		c.Page(text)
	})
}
