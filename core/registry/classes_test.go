package registry

import (
	"context"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
)

// The default class is always the current one, whenever it was cached.
func TestDefaultPriorityClass(t *testing.T) {
	f := newFixture(t)
	classes := f.target("scheduling.k8s.io", "v1", "priorityclasses", "", "high")
	expect := func(name string, want int64) {
		t.Helper()
		f.create(f.pods(""), `{"metadata":{"name":"`+name+`"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
		value, err := f.Get(context.Background(), f.pods(name), "")
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := object.GetInt(f.parse(f.pods(""), string(value)), "spec", "priority"); got != want {
			t.Errorf("%s has priority %d, want %d", name, got, want)
		}
	}
	expect("before", 0)
	f.create(classes, `{"metadata":{"name":"high"},"value":7,"globalDefault":true}`)
	expect("with", 7)
	expect("again", 7)
	if _, err := f.replace(classes, `{"metadata":{"name":"high"},"value":7}`); err != nil {
		t.Fatal(err)
	}
	expect("replaced", 0)
	f.create(f.target("scheduling.k8s.io", "v1", "priorityclasses", "", "other"),
		`{"metadata":{"name":"other"},"value":9,"globalDefault":true}`)
	expect("other", 9)
	other := classes
	other.Name = "other"
	if _, _, err := f.Delete(context.Background(), other, DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	expect("deleted", 0)
}
