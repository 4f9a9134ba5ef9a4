package search

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/internal/golden"
	"github.com/tabernetes/tabernetes/web/panels/search/index"
)

func TestGolden(t *testing.T) {
	var entries []index.Entry
	for _, step := range []string{"1", "2", "3", "4", "5", "6"} {
		entries = append(entries, index.Entry{Group: index.Steps, Title: "A step about 410", Note: "7." + step,
			Href: "#lesson-410-gone-" + step})
	}
	x := index.New(append(entries,
		index.Entry{Group: index.Keys, Title: "Compact etcd", Note: "C", Words: "gone", Press: "#c"}))
	found := View{Query: "410", Result: x.Find("410"), All: map[index.Group]bool{}, Active: 1}
	near := View{Query: "stap", Result: x.Find("stap"), All: map[index.Group]bool{}, Active: -1}
	all := found
	all.All = map[index.Group]bool{index.Steps: true}
	golden.Test(t, map[string]templ.Component{
		"skeleton":   Skeleton(),
		"found/list": List(found),
		"found/note": Note(found),
		"all/list":   List(all),
		"all/note":   Note(all),
		"near/list":  List(near),
		"near/note":  Note(near),
		"problem":    Note(View{Problem: `no "index"`}),
	})
	for v, want := range map[*View]string{&found: "7 found", &near: "nothing found", {}: ""} {
		if got := v.Count(); got != want {
			t.Errorf("%q: %q, want %q", v.Query, got, want)
		}
	}
}
