package registry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
)

// selections are label selectors, field selectors, and how many lists of terms they ask for.
var selections = []struct {
	labels, fields string
	lists          int
}{
	{"app=a", "", 1},
	{"app==a,tier=x", "", 2},
	{"app in (a,b)", "", 1},
	{"app", "", 1},
	{"app=", "", 1},
	{"app=none", "", 1},
	{"n>3", "", 1},
	{"n<3,app", "", 2},
	{"!app", "", 0},
	{"app!=a", "", 0},
	{"app notin (a,b),tier=x", "", 1},
	{"", "spec.nodeName=n1", 1},
	{"", "spec.nodeName=", 0},
	{"", "spec.nodeName!=n1", 0},
	{"", "spec.nodeName=n2,status.phase=Pending", 1},
	{"app=a", "spec.nodeName=n1", 2},
	{"spec.nodeName=n1", "", 1}, // a label of that name
	{"", "metadata.namespace=ns", 0},
}

func selectionOf(t *testing.T, labels, fields string) Selection {
	t.Helper()
	l, err := selector.ParseLabels(labels)
	if err != nil {
		t.Fatal(err)
	}
	f, err := selector.ParseFields(fields)
	if err != nil {
		t.Fatal(err)
	}
	return Selection{Labels: l, Fields: f}
}

// TestSelectedLists compares lists by selectors with those that look at every object, at the head and at older
// versions, while labels and nodes change, and pods are deleted.
func TestSelectedLists(t *testing.T) {
	f := newFixture(t)
	f.create(f.target("", "v1", "namespaces", "", ""), `{"metadata":{"name":"other"}}`)
	r := rand.New(rand.NewPCG(1, 2))
	bucket := f.pods("").bucket()
	oneOf := func(all ...string) string { return all[r.IntN(len(all))] }
	for range 400 {
		at := f.pods(fmt.Sprint("p", r.IntN(40)))
		at.Namespace = oneOf("ns", "ns", "ns", "other")
		current := f.Store.Latest(bucket, at.key(at.Name))
		var expect int64
		if current != nil {
			expect = current.Revision
		}
		value := []byte(fmt.Sprintf(`{"metadata":{"name":%q,"namespace":%q,"labels":{%s}},"spec":{%s},"status":{"phase":%q}}`,
			at.Name, at.Namespace,
			oneOf(``, `"other":"x"`, `"app":""`, `"app":"a","tier":"x"`, `"app":"b"`, `"app":"c","n":"5"`, `"n":"1","tier":"x"`,
				`"spec.nodeName":"n1"`),
			oneOf(``, ``, `"nodeName":"n1"`, `"nodeName":"n2","restartPolicy":"Never"`), oneOf("Pending", "Running")))
		attrs, err := Load(at.Resource, value)
		if err != nil {
			t.Fatal(err)
		}
		build := func(int64) ([]byte, any) { return value, attrs }
		if current != nil && r.IntN(4) == 0 {
			_, err = f.Store.Delete(bucket, at.key(at.Name), expect, build)
		} else {
			_, err = f.Store.Put(bucket, at.key(at.Name), expect, build)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	head := f.Store.Status().Head
	used := 0
	for _, c := range selections {
		sel := selectionOf(t, c.labels, c.fields)
		at := f.pods("")
		terms := sel.terms(at.Resource)
		if len(terms) != c.lists {
			t.Errorf("%s %s: terms %v, want %d lists", c.labels, c.fields, terms, c.lists)
		}
		for _, at.Namespace = range []string{"", "ns", "other"} {
			for _, rev := range []int64{head, head - 3, head - 100, head - 350} {
				all, err := f.Store.Range(bucket, mvcc.Query{Group: at.group(), Revision: rev})
				if err != nil {
					t.Fatal(err)
				}
				var want [][]byte
				for _, item := range all.Items {
					if sel.matches(at.Resource, item.Key, item.Version) {
						want = append(want, item.Value)
						checkTerms(t, terms, item.Version.Attrs.(*attrs))
					}
				}
				var got [][]byte
				o := ListOptions{Selection: sel, Limit: int64(r.IntN(5)), ResourceVersion: fmt.Sprint(rev),
					ResourceVersionMatch: MatchExact}
				for {
					list, err := f.List(context.Background(), at, o)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, list.Items...)
					if o.Continue = list.Continue; o.Continue == "" {
						break
					}
					o.ResourceVersion, o.ResourceVersionMatch = "", ""
				}
				if !slices.EqualFunc(got, want, slices.Equal) {
					t.Errorf("%s %s in %q at %d: %d pods, want %d", c.labels, c.fields, at.Namespace, rev, len(got), len(want))
				}
				page, err := f.Store.Range(bucket, mvcc.Query{Group: at.group(), Revision: rev, Match: sel.match(at.Resource),
					Terms: terms})
				if err != nil {
					t.Fatal(err)
				}
				if page.Passed < all.Passed {
					used++
				}
			}
		}
	}
	if used < 100 {
		t.Errorf("only %d lists have not looked at every pod", used)
	}
}

// checkTerms checks that a selected version has a term of each list, and that its terms come in one way.
func checkTerms(t *testing.T, lists [][]mvcc.Term, a *attrs) {
	t.Helper()
	var has []mvcc.Term
	a.Terms(func(t mvcc.Term) { has = append(has, t) })
	if len(has) != a.NumTerms() {
		t.Errorf("%+v has %d terms, not %d", a, len(has), a.NumTerms())
	}
	for _, term := range has {
		if !a.HasTerm(term) {
			t.Errorf("%+v has no %v", a, term)
		}
	}
	for _, list := range lists {
		if !slices.ContainsFunc(list, func(t mvcc.Term) bool { return slices.Contains(has, t) }) ||
			!slices.ContainsFunc(list, a.HasTerm) {
			t.Errorf("%+v has none of %v", a, list)
		}
	}
}

// TestTermsOfFields: the fields of custom resources are no terms, since their definition may change them.
func TestTermsOfFields(t *testing.T) {
	sel := selectionOf(t, "", "spec.nodeName=n1")
	custom := &schema.Resource{Custom: &schema.Custom{Selectable: []string{"spec.nodeName"}}}
	if got := sel.terms(custom); got != nil {
		t.Errorf("of a custom resource: %v", got)
	}
	if got := sel.terms(schema.Builtin().Resource("", "v1", "configmaps")); got != nil {
		t.Errorf("of a type without the field: %v", got)
	}
}
