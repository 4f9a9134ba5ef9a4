package revisions

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/horizon"
)

const remembered = `{"capacity":{"least":8,"most":16},"progressSeconds":5,"servers":[
	{"since":17,"why":"started","types":[
		{"group":"","resource":"configmaps","horizon":17,"why":"started","lists":17,"version":233,"held":3,"capacity":8},
		{"group":"","resource":"events","horizon":223,"why":"compacted","lists":223,"version":239,"held":0,"capacity":0},
		{"group":"","resource":"pods","horizon":226,"why":"busy","lists":223,"version":239,"held":8,"capacity":8},
		{"group":"a.io","resource":"pods","horizon":230,"why":"defined","lists":230,"held":0,"capacity":8,"later":1}]},
	{"since":232,"why":"restarted","types":[]}]}`

func TestWindows(t *testing.T) {
	w, err := ParseWindows(remembered)
	if err != nil || w.Capacity != (Capacity{8, 16}) || w.Progress != 5 || !w.Known() {
		t.Fatalf("%+v, %v", w, err)
	}
	state := State{Head: 240, Compacted: 224}
	for _, test := range []struct {
		name            string
		server          int
		group, resource string
		want            Window
		known           bool
		start           int64
	}{
		{"nothing lost since its start", 0, "", "configmaps",
			Window{Horizon: 17, Why: horizon.Started, Lists: 17, Held: 3, Capacity: 8}, true, 18},
		{"events have pushed others out", 0, "", "pods",
			Window{Horizon: 226, Why: horizon.Busy, Lists: 223, Held: 8, Capacity: 8}, true, 227},
		{"another type of that name", 0, "a.io", "pods",
			Window{Horizon: 230, Why: horizon.Defined, Lists: 230, Capacity: 8}, true, 231},
		{"no buffer: the state knows of the last compaction first", 0, "", "events",
			Window{Horizon: 224, Why: horizon.Compacted, Lists: 224}, true, 224},
		{"no event yet", 0, "", "secrets",
			Window{Horizon: 17, Why: horizon.Started, Lists: 17, Capacity: 8}, true, 18},
		{"no event yet at a server that was restarted: etcd has older lists", 1, "", "pods",
			Window{Horizon: 232, Why: horizon.Restarted, Lists: 224, Capacity: 8}, true, 233},
		{"no such server", 2, "", "pods", Window{Horizon: 224, Why: horizon.Compacted, Lists: 224}, false, 224},
	} {
		got, known := w.Of(test.server, test.group, test.resource, state)
		test.want.Group, test.want.Resource = test.group, test.resource
		if got != test.want || known != test.known || got.Start() != test.start {
			t.Errorf("%s: %+v, %v, start %d", test.name, got, known, got.Start())
		}
	}
}

func TestWindowsOfAnOlderServer(t *testing.T) {
	if w, err := ParseWindows(`{"kind":"Status"}`); err != nil || w.Known() {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err := ParseWindows(`no`); err == nil {
		t.Error("it reads what is no JSON")
	}
}
