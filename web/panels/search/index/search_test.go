//go:build !js

package index_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/course/practice"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/markdown"
	"github.com/tabernetes/tabernetes/web/panels/search/index"
	"github.com/tabernetes/tabernetes/web/scenes"
)

// whole returns the index of the course as it is.
func whole(t *testing.T) *index.Index {
	t.Helper()
	lessons, err := markdown.Load(os.DirFS("../../../lessons"))
	if err != nil {
		t.Fatal(err)
	}
	x, err := practice.Index(lessons)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := format.Scenes(scenes.Files)
	if err != nil {
		t.Fatal(err)
	}
	built := index.Build(x, lessons, shown, []index.Entry{
		{Group: index.Keys, Title: "Compact etcd", Note: "C", Words: "history", Press: "#compact"},
		{Group: index.Keys, Title: "Presenter", Note: "P", Key: "p"},
	})
	read, err := index.Parse(built.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", len(built.String()))
	return read
}

// links returns where what was found in a group leads to.
func links(r index.Result, g index.Group) (all []string) {
	if len(r.Groups) == 0 {
		return nil
	}
	for _, f := range r.Groups[g] {
		all = append(all, f.Href+f.Rule+f.Press+f.Key)
	}
	return all
}

// TestFind searches the course by words of the API and by plain ones.
func TestFind(t *testing.T) {
	x := whole(t)
	for _, want := range []struct {
		query, lesson string // the lesson that comes first
	}{
		{"410", "410-gone"}, {"410 gone", "410-gone"}, {"Expired", "410-gone"}, {"too old", "410-gone"},
		{"bookmark", "bookmarks"}, {"allowWatchBookmarks", "bookmarks"},
		{"stale", "stale-reads"}, {"outdated", "stale-reads"},
		{"finalizer", "two-phase"}, {"stuck terminating", "two-phase"}, {"deletionTimestamp", "two-phase"},
		{"dryRun", "rehearsal"}, {"dry run", "rehearsal"}, {"fieldManager", "apply"}, {"server-side apply", "apply"},
		{"limit", "paging"}, {"continue token", "paging"}, {"pagination", "paging"}, {"remainingItemCount", "paging"},
		{"sendInitialEvents", "streaming-lists"}, {"watchlist", "streaming-lists"},
		{"RBAC", "who-may"}, {"forbidden", "who-may"}, {"403", "who-may"},
		{"protobuf", "bytes"}, {"CRD", "own-types"}, {"fieldValidation", "field-validation"}, {"typo", "field-validation"},
		{"resourceVersionMatch", "grid"}, {"504", "too-new"}, {"optimistic locking", "versions"},
		{"url", "addresses"}, {"namespace", "namespaces"}, {"accept", "shapes"}, {"older server", "old-servers"},
		{"how do i watch", "first-event"}, {"informer", "list-then-watch"}, {"delete collection", "verbs"},
	} {
		got := append(links(x.Find(want.query), index.Lessons), links(x.Find(want.query), index.Steps)...)
		if len(got) == 0 || !strings.HasPrefix(got[0], "#lesson-"+want.lesson) {
			t.Errorf("%q finds %v, want %s first", want.query, got[:min(4, len(got))], want.lesson)
		}
	}
	for query, rule := range map[string]string{"410": "watch-from", "dry run": "write-dry-run", "too old": "watch-from"} {
		if got := links(x.Find(query), index.Rules); !slices.Contains(got, rule) {
			t.Errorf("%q finds the rules %v, not %s", query, got, rule)
		}
	}
	for query, scene := range map[string]string{
		"410": "gone", "too old": "gone", "finalizer": "finalizer", "ssa": "apply", "rbac": "rbac", "forbidden": "rbac",
	} {
		if got := links(x.Find(query), index.Scenes); len(got) == 0 || got[0] != "#scene="+scene {
			t.Errorf("%q finds the scenes %v, want %s first", query, got, scene)
		}
	}
	if got := links(x.Find("compa"), index.Keys); !slices.Equal(got, []string{"#compact"}) {
		t.Errorf("a word that is not finished finds the levers %v", got)
	}
	if got := x.Find("  the "); got.Total != 0 || got.Groups != nil {
		t.Errorf("nothing was asked, and %d found", got.Total)
	}
}

// TestSame wants words of the API and plain words to find the same lesson and steps.
func TestSame(t *testing.T) {
	x := whole(t)
	for _, pair := range [][2]string{
		{"Expired", "too old"}, {"fieldManager", "ssa"}, {"deletionTimestamp", "terminating"},
	} {
		a, b := links(x.Find(pair[0]), index.Steps), links(x.Find(pair[1]), index.Steps)
		slices.Sort(a)
		slices.Sort(b)
		if len(a) == 0 || !slices.Equal(a, b) {
			t.Errorf("%q finds %v, and %q %v", pair[0], a, pair[1], b)
		}
	}
}

func TestNear(t *testing.T) {
	r := whole(t).Find("bokmrks")
	if !r.Near || r.Total != 0 {
		t.Fatalf("found %d", r.Total)
	}
	got := append(links(r, index.Lessons), links(r, index.Steps)...)
	if len(got) == 0 || got[0] != "#lesson-bookmarks" {
		t.Errorf("near: %v", got)
	}
}

func TestParts(t *testing.T) {
	r := index.New([]index.Entry{{Title: "A watch ends with 410, not Gone again"}}).Find("410 gone")
	got := ""
	for _, p := range r.Groups[0][0].Parts {
		if p.Hit {
			got += "[" + p.Text + "]"
		} else {
			got += p.Text
		}
	}
	if want := "A watch ends with [410], not [Gone] again"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
