package objects

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/web/revisions"
)

var someTypes = []Type{
	{"configmaps", "", "configmaps", true}, {"namespaces", "", "namespaces", false}, {"pods", "", "pods", true},
	{"daemonsets.apps", "apps", "daemonsets", true}, {"deployments.apps", "apps", "deployments", true},
	{"jobs.batch", "batch", "jobs", true},
}

// someTree has two ConfigMaps, three Namespaces and one Deployment.
func someTree() *Tree {
	t := &Tree{}
	t.SetTypes(someTypes)
	for id, n := range map[string]int{"configmaps": 2, "namespaces": 3, "deployments.apps": 1, "pods": 0,
		"jobs.batch": 0} {
		t.Counts.Ask(id)
		t.Counts.Listed(id, n, 10, &revisions.Log{})
	}
	t.Layout()
	return t
}

func fill(b *Branch, rev int, items ...string) {
	b.Begin()
	if _, err := b.Page(pods(rev, "", items...)); err != nil {
		panic(err)
	}
}

func drawn(t *Tree) string {
	var b strings.Builder
	for i := range t.Len() {
		n := t.At(i)
		mark := " "
		if n.Opens {
			mark = "+"
			if n.Open {
				mark = "-"
			}
		}
		count := ""
		if n.Known {
			count = fmt.Sprint(" ", n.Count)
		}
		fmt.Fprintf(&b, "%s%s%s%s %d/%d\n", strings.Repeat(" ", n.Level-1), mark, n.Label, count, n.Pos, n.Of)
		if at := t.Index(n.Key); at != i {
			fmt.Fprintf(&b, "(row %d is found at %d)\n", i, at)
		}
	}
	return b.String()
}

func TestTree(t *testing.T) {
	tree := someTree()
	expect := func(what, want string) {
		t.Helper()
		if got := drawn(tree); got != strings.TrimPrefix(want, "\n") {
			t.Errorf("%s:\n%s", what, got)
		}
	}
	expect("types with objects", `
-core 1/2
 +configmaps 2 1/2
 +namespaces 3 2/2
-apps 2/2
 +deployments 1 1/1
`)
	if tree.Hidden() != 3 {
		t.Errorf("%d hidden", tree.Hidden())
	}
	b := tree.Open("configmaps")
	if b == nil || tree.Open("configmaps") != nil || tree.Open("nothing") != nil {
		t.Fatal("a type opens once")
	}
	expect("being read", `
-core 1/2
 -configmaps 2 1/2
   reading… 1/1
 +namespaces 3 2/2
-apps 2/2
 +deployments 1 1/1
`)
	fill(b, 10, object("a", "y", 4), object("b", "x", 5))
	tree.Fold("apps", true) // lays the rows out again
	expect("open", `
-core 1/2
 -configmaps 2 1/2
   y 1/2
   x 2/2
 +namespaces 3 2/2
+apps 2/2
`)
	if p := tree.Parent(3); p != 1 || tree.Parent(1) != 0 || tree.Parent(0) != -1 || tree.Parent(4) != 0 {
		t.Errorf("parent %d", p)
	}
	if tree.Index("o:configmaps/b/none") != -1 || tree.Index("") != -1 || tree.Index("t:pods") != -1 {
		t.Error("rows that are not there")
	}
	b.Commit(commit(11, revisions.Deleted, "a", "y"), time.Time{})
	b.Commit(commit(12, revisions.Deleted, "b", "x"), time.Time{})
	tree.Layout()
	expect("empty, and still open", `
-core 1/2
 -configmaps 0 1/2
   none 1/1
 +namespaces 3 2/2
+apps 2/2
`)
	b.Problem = "403 no"
	tree.Layout()
	if n := tree.At(2); !n.NoteSays || n.Label != "403 no" {
		t.Errorf("%+v", n)
	}
	tree.Open("deployments.apps") // its group unfolds
	again := tree.Reset("a")
	if len(again) != 2 || again[0].Type.ID != "configmaps" || again[0].Problem != "" {
		t.Errorf("to be read again: %v", again)
	}
	expect("in a namespace", `
-core 1/2
 -configmaps 1/1
   reading… 1/1
-apps 2/2
 -deployments 1/1
   reading… 1/1
`)
	tree.Close("configmaps")
	tree.Close("deployments.apps")
	tree.All = true
	tree.Reset("")
	expect("all", `
-core 1/3
 +configmaps 1/3
 +namespaces 2/3
 +pods 3/3
-apps 2/3
 +daemonsets 1/2
 +deployments 2/2
-batch 3/3
 +jobs 1/1
`)
	tree.Open("jobs.batch")
	tree.SetTypes(someTypes[:3])
	if tree.Branch("jobs.batch") != nil {
		t.Error("a type that is gone is open")
	}
	var none Tree
	none.Layout()
	if none.Len() != 0 || none.Index("g:") != -1 || none.Find(0, "x") != -1 {
		t.Error("an empty tree")
	}
}

func TestTreeKeys(t *testing.T) {
	tree := someTree()
	fill(tree.Open("configmaps"), 10, object("a", "y", 4), object("b", "x", 5))
	tree.Layout()
	// 0 core, 1 configmaps, 2 y, 3 x, 4 namespaces, 5 apps, 6 deployments
	for _, c := range []struct {
		at   int
		key  string
		to   int
		act  KeyAction
		what string
	}{
		{0, "ArrowDown", 1, Go, ""},
		{6, "ArrowDown", 6, Go, "no further"},
		{0, "ArrowUp", 0, Go, ""},
		{1, "PageDown", 4, Go, ""},
		{1, "PageUp", 0, Go, ""},
		{2, "Home", 0, Go, ""},
		{2, "End", 6, Go, ""},
		{1, "ArrowRight", 2, Go, "into what is open"},
		{4, "ArrowRight", 4, Unfold, ""},
		{2, "ArrowRight", 2, Go, "an object has nothing below"},
		{1, "ArrowLeft", 1, Fold, ""},
		{3, "ArrowLeft", 1, Go, "up to its type"},
		{4, "ArrowLeft", 0, Go, "up to its group"},
		{0, "ArrowLeft", 0, Fold, ""},
		{3, "Enter", 3, Enter, ""},
		{3, " ", 3, Enter, ""},
		{3, "F5", 3, Unused, ""},
		{99, "ArrowUp", 5, Go, "rows have gone"},
		{-1, "ArrowDown", 1, Go, "no row yet"},
	} {
		if to, act := tree.Press(c.at, c.key, 3); to != c.to || act != c.act {
			t.Errorf("%s at %d goes to %d and does %d (%s)", c.key, c.at, to, act, c.what)
		}
	}
	if to, act := (&Tree{}).Press(0, "ArrowDown", 3); to != -1 || act != Unused {
		t.Error("a key in an empty tree")
	}
}

func TestTypeAhead(t *testing.T) {
	tree := someTree()
	fill(tree.Open("configmaps"), 10, object("a", "nine", 4), object("b", "north", 5))
	tree.Layout()
	// 0 core, 1 configmaps, 2 nine, 3 north, 4 namespaces, 5 apps, 6 deployments
	at := time.Unix(0, 0)
	var w TypeAhead
	row := 0
	for _, c := range []struct {
		key  string
		wait time.Duration
		want int
	}{
		{"N", 0, 2}, {"o", 0, 3}, {"o", 0, 3}, // "noo" is nowhere: stay
		{"n", 2 * time.Second, 4}, {"n", 0, 2}, {"n", 0, 3},
		{"c", 2 * time.Second, 0}, {"o", 0, 0}, {"n", 0, 1}, {"End", 0, 1}, {"a", 0, 5},
		{"D", 2 * time.Second, 6}, {"Shift", 0, 6}, {"e", 0, 6}, {"?", 0, 6}, {" ", 0, 6}, {"c", 0, 0},
		{"d", 2 * time.Second, 6},
	} {
		at = at.Add(c.wait)
		if text := w.Key(c.key, at); text != "" {
			// What is typed on may fit the row where one is.
			from := row
			if len(text) > 1 {
				from--
			}
			if to := tree.Find(from, text); to >= 0 {
				row = to
			}
		}
		if row != c.want {
			t.Errorf("%q leads to row %d, want %d", c.key, row, c.want)
		}
	}
}

// A tree costs its types, however many objects there are.
func BenchmarkTreeLayout(b *testing.B) {
	tree := someTree()
	var items []string
	for i := range 10_000 {
		items = append(items, object("paging", fmt.Sprintf("pod-%05d", i), i+1))
	}
	fill(tree.Open("pods"), 10_000, items...)
	tree.Layout()
	key := tree.At(tree.Len() / 2).Key
	b.ReportAllocs()
	for b.Loop() {
		tree.Layout()
		at := tree.Index(key)
		for i := at; i < at+40; i++ {
			tree.At(i)
		}
	}
}
