package histories

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// a write of the Deployment controller, on a ReplicaSet with some replicas and a name that ends with a word.
func scaled(word string, from, to any, change func(*write)) write {
	object := func(replicas any) map[string]any {
		return map[string]any{
			"metadata": map[string]any{"name": "web-" + word, "uid": "uid-" + word, "resourceVersion": word,
				"managedFields": []any{map[string]any{"manager": "kube-controller-manager", "operation": "Update",
					"apiVersion": "apps/v1", "time": word}}},
			"spec": map[string]any{"replicas": replicas},
		}
	}
	w := write{who: "kube-controller-manager deployment-controller", object: "replicasets/web-" + word, does: "PUT",
		before: object(from), after: object(to)}
	if change != nil {
		change(&w)
	}
	return w
}

// one returns a record with one step, of these writes.
func one(writes ...write) record {
	s := stepRecorder{}
	n := &names{own: "history-1", namespace: "NAMESPACE", uids: map[string]string{}}
	for _, w := range writes {
		if w.after != nil {
			n.knows("replicasets", w.after)
		}
		s.add(n, w)
	}
	return record{s.instances(func(string) bool { return true })}
}

// TestCompare wants what only timing makes different to be the same, and everything else to be seen.
func TestCompare(t *testing.T) {
	known := learn([]record{
		one(scaled("hhhhh", 1, 2, nil), scaled("bbbbb", 1, 2, nil)),
		{{"kube-controller-manager deployment-controller replicasets/web-*": {
			{"PUT": true, "spec.replicas = 2, was 1": true, "refused: 404 NotFound": true},
			{"PUT": true, "spec.replicas = 2, was 1": true},
			{"PUT": true, "spec.replicas = 2, was 1": true},
		}}},
	})
	parsed, err := parseSpecs(known.String())
	if err != nil || !reflect.DeepEqual(parsed, known) {
		t.Fatalf("%v: reads\n%s\nof\n%s", err, parsed, known)
	}
	first, second := one(scaled("ccccc", 1, 2, nil)), one(scaled("ccccc", 1, 3, nil))
	got, want := merge(learn([]record{first}), learn([]record{second})), learn([]record{first, second})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("merged\n%s\nwant\n%s", got, want)
	}
	const key = "step 1: kube-controller-manager deployment-controller replicasets/web-*: "
	tests := []struct {
		name string
		got  record
		want []string
	}{
		{"other names", one(scaled("ccccc", 1, 2, nil), scaled("ddddd", 1, 2, nil)), nil},
		{"in two steps", one(scaled("ccccc", 1, 3, nil), scaled("ccccc", 3, 2, nil), scaled("ddddd", 1, 2, nil)), nil},
		{"there and back", one(scaled("ccccc", 1, 2, nil), scaled("ddddd", 1, 2, nil), scaled("ddddd", 2, 5, nil),
			scaled("ddddd", 5, 2, nil)), nil},
		{"sometimes", one(scaled("ccccc", 1, 2, nil), scaled("ddddd", 1, 2, func(w *write) {
			w.details = []string{"refused: 404 NotFound"}
		})), nil},
		{"a write fewer", one(scaled("ccccc", 1, 2, nil)), []string{key + "1, want 2 to 3"}},
		{"two writes more", one(scaled("ccccc", 1, 2, nil), scaled("ddddd", 1, 2, nil), scaled("fffff", 1, 2, nil),
			scaled("ggggg", 1, 2, nil)), []string{key + "4, want 2 to 3"}},
		{"another value", one(scaled("ccccc", 1, 2, nil), scaled("ddddd", 1, 3, nil)),
			[]string{key + "+ spec.replicas = 3, was 1", key + "- spec.replicas = 2, was 1"}},
		{"another field", one(scaled("ccccc", 1, 2, nil), scaled("ddddd", 1, 2, func(w *write) {
			w.after["spec"].(map[string]any)["paused"] = true
		})), []string{key + "+ spec.paused = true"}},
		{"another manager", one(scaled("ccccc", 1, 2, nil), scaled("ddddd", 1, 2, func(w *write) {
			w.after["metadata"].(map[string]any)["managedFields"].([]any)[0].(map[string]any)["manager"] = "other"
		})), []string{key + "+ managed by kube-controller-manager (Update ) is removed",
			key + "+ managed by other (Update ) = apps/v1"}},
		{"another request", one(scaled("ccccc", 1, 2, nil), scaled("ddddd", 1, 2, func(w *write) { w.does = "PATCH x" })),
			[]string{key + "+ PATCH x", key + "- PUT"}},
		{"a warning", one(scaled("ccccc", 1, 2, nil), scaled("ddddd", 1, 2, func(w *write) {
			w.details = []string{"warning: no"}
		})), []string{key + "+ warning: no"}},
		{"another controller", one(scaled("ccccc", 1, 2, nil), scaled("ddddd", 1, 2, nil), scaled("fffff", 1, 2,
			func(w *write) { w.who = "kube-scheduler" })), []string{"step 1: kube-scheduler replicasets/web-*: 1, want none:",
			"    PUT", "    spec.replicas = 2, was 1"}},
	}
	for _, test := range tests {
		if got := compare(known, test.got); !slices.Equal(got, test.want) {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}

// TestRecordings wants each history to have a recording with its steps, whose lines say something, and no other to be
// there.
func TestRecordings(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) != len(histories) {
		t.Errorf("%d recordings of %d histories, %v", len(files), len(histories), err)
	}
	for _, h := range histories {
		text, err := os.ReadFile(filepath.Join("testdata", h.name+".txt"))
		if err != nil {
			t.Error(err)
			continue
		}
		known, err := parseSpecs(string(text))
		if err != nil || len(known) != 1+len(h.steps) {
			t.Errorf("%s: %d steps, %v, want %d", h.name, len(known), err, 1+len(h.steps))
		}
		always, sometimes := 0, 0
		for _, keys := range known {
			for key := range maps.Keys(keys) {
				always += len(keys[key].always)
				sometimes += len(keys[key].sometimes)
			}
		}
		if sometimes > always/4 {
			t.Errorf("%s: %d lines depend on timing, and %d do not", h.name, sometimes, always)
		}
	}
}
