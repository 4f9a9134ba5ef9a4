package controller

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// used checks what the status of a quota says is in use, as JSON.
func (c *cluster) used(path, want string) {
	c.Helper()
	q := c.read(path)
	got, _ := json.Marshal(object.GetMap(q, "status", "used"))
	if string(got) != want || !object.Equal(object.GetMap(q, "spec", "hard"), object.GetMap(q, "status", "hard")) {
		c.Errorf("%s: %s, want %s: %v", path, got, want, object.GetMap(q, "status", "hard"))
	}
}

func hard(amounts map[string]any) map[string]any { return map[string]any{"hard": amounts} }

func podWith(cpu string) map[string]any {
	return map[string]any{"containers": []any{map[string]any{
		"name": "c", "image": "x", "resources": map[string]any{"requests": map[string]any{"cpu": cpu}},
	}}}
}

func TestMeasureQuotas(t *testing.T) {
	c := newCluster(t, true)
	c.create("namespaces/q")
	c.created("q")
	c.create("configmaps/q/one")
	c.createWith("pods/q/p", podWith("250m"))
	c.createWith("pods/q/finished", podWith("1"))
	c.expect("ADDED configmaps/q/one", "ADDED pods/q/p", "ADDED pods/q/finished")
	// What exists counts, and nothing of other namespaces.
	c.createWith("resourcequotas/q/r", hard(map[string]any{
		"configmaps": "9", "count/configmaps": "9", "pods": "9", "requests.cpu": "4", "requests.storage": "1Gi",
		"count/unknowns.example.com": "1", "resourcequotas": "3",
	}))
	c.expect("ADDED resourcequotas/q/r", "MODIFIED resourcequotas/q/r")
	c.used("resourcequotas/q/r", `{"configmaps":"2","count/configmaps":"2","pods":"2","requests.cpu":"1250m",`+
		`"requests.storage":"0","resourcequotas":"1"}`)
	owners := object.GetList(c.read("resourcequotas/q/r"), "metadata", "managedFields")
	if owner := owners[0].(map[string]any); owner["manager"] != manager || owner["subresource"] != "status" {
		t.Errorf("the status is of %v", owner)
	}
	// A pod that is finished takes nothing.
	at := c.target("pods/q/finished")
	at.Subresource = "status"
	if _, _, err := c.Update(c.Context(), at, func(pod map[string]any) (map[string]any, error) {
		object.SetNested(pod, "Succeeded", "status", "phase")
		return pod, nil
	}, false, registry.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.expect("MODIFIED pods/q/finished", "MODIFIED resourcequotas/q/r")
	c.used("resourcequotas/q/r", `{"configmaps":"2","count/configmaps":"2","pods":"1","requests.cpu":"250m",`+
		`"requests.storage":"0","resourcequotas":"1"}`)
	c.delete("configmaps/q/one")
	c.expect("DELETED configmaps/q/one", "MODIFIED resourcequotas/q/r")
	c.used("resourcequotas/q/r", `{"configmaps":"1","count/configmaps":"1","pods":"1","requests.cpu":"250m",`+
		`"requests.storage":"0","resourcequotas":"1"}`)
	// Other limits, and scopes.
	c.update("resourcequotas/q/r", func(q map[string]any) { q["spec"] = hard(map[string]any{"count/pods": "1"}) })
	c.expect("MODIFIED resourcequotas/q/r", "MODIFIED resourcequotas/q/r")
	c.used("resourcequotas/q/r", `{"count/pods":"2"}`)
	scoped := hard(map[string]any{"pods": "4"})
	scoped["scopes"] = []any{"BestEffort"}
	c.createWith("resourcequotas/q/s", scoped)
	c.expect("ADDED resourcequotas/q/s", "MODIFIED resourcequotas/q/s")
	c.used("resourcequotas/q/s", `{"pods":"0"}`)
}

// TestMeasureAgain checks that a status that is wrong for no reason that can be seen is corrected after some time, but
// not before.
func TestMeasureAgain(t *testing.T) {
	c := newCluster(t, true)
	c.create("namespaces/q")
	c.created("q")
	c.createWith("resourcequotas/q/r", hard(map[string]any{"configmaps": "9"}))
	c.expect("ADDED resourcequotas/q/r", "MODIFIED resourcequotas/q/r")
	if err := c.Registry.UpdateQuota(c.Context(), "q", "r", func(q map[string]any) (map[string]any, error) {
		object.SetNested(q, "7", "status", "used", "configmaps")
		return q, nil
	}); err != nil {
		t.Fatal(err)
	}
	c.expect("MODIFIED resourcequotas/q/r")
	c.pass(5*time.Minute - 1)
	c.clock.AwaitTimers(1)
	c.used("resourcequotas/q/r", `{"configmaps":"7"}`)
	c.pass(1)
	c.expect("MODIFIED resourcequotas/q/r")
	c.used("resourcequotas/q/r", `{"configmaps":"1"}`)
}

// TestUncharged checks which new objects make a quota measured again: those that the last measurement did not see, and
// that nothing has been charged for since.
func TestUncharged(t *testing.T) {
	m := &measurer{wrote: map[string]measured{"q/r": {from: 5, to: 9}}}
	for _, test := range []struct {
		object, quota int64
		want          bool
	}{{4, 3, false}, {5, 3, false}, {6, 3, true}, {9, 3, true}, {12, 9, true}, {12, 11, false}} {
		e := &mvcc.Event{Version: &mvcc.Version{Revision: test.object}}
		at := mvcc.Item{Key: "q/r", Version: &mvcc.Version{Revision: test.quota}}
		if got := m.affects(e, nil, nil, at); got != test.want {
			t.Errorf("an object at %d, the quota at %d: %v", test.object, test.quota, got)
		}
	}
}
