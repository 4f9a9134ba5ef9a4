package stage

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"text/template"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// placeholders are template functions that write their name and arguments, as in kwok's own test. Those of several
// addresses write two.
func placeholders() template.FuncMap {
	funcs := template.FuncMap{}
	write := func(name string, args []any) string {
		if len(args) == 0 {
			return "<" + name + ">"
		}
		all := make([]string, len(args))
		for i, a := range args {
			all[i] = fmt.Sprintf("%#v", a)
		}
		return "<" + name + "(" + strings.Join(all, ", ") + ")>"
	}
	for _, name := range []string{"NodeIP", "NodeName", "NodePort", "PodIP", "NodeIPWith", "PodIPWith", "Now", "now",
		"Version"} {
		funcs[name] = func(args ...any) string { return write(name, args) }
	}
	for _, name := range []string{"NodeIPsWith", "PodIPsWith"} {
		funcs[name] = func(args ...any) []any {
			return []any{write("0 of "+name, args), write("1 of "+name, args)}
		}
	}
	return funcs
}

func parseAll(t *testing.T, files ...string) (all []*Stage) {
	t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := Read(text)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, o := range objects {
			s, err := Parse(o, placeholders())
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			all = append(all, s)
		}
	}
	return all
}

// TestKwok compares with what kwok says of the Stages that it comes with.
func TestKwok(t *testing.T) {
	now := time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC)
	inputs, err := filepath.Glob("testdata/kwok/*/*/*.input.yaml")
	if err != nil || len(inputs) < 11 {
		t.Fatalf("%d inputs, %v", len(inputs), err)
	}
	for _, input := range inputs {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(input, "testdata/kwok/"), ".input.yaml"), func(t *testing.T) {
			object, wanted := readYAML(t, input), readYAML(t, strings.Replace(input, ".input.", ".output.", 1))
			files, _ := filepath.Glob(filepath.Join(filepath.Dir(input), "*.yaml"))
			var stages []*Stage
			for _, f := range files {
				if strings.Contains(f, "put.yaml") {
					continue
				}
				for _, s := range parseAll(t, f) {
					if s.APIVersion == object["apiVersion"] && s.Kind == object["kind"] {
						stages = append(stages, s)
					}
				}
			}
			possible, err := Possible(stages, object)
			if err != nil {
				t.Fatal(err)
			}
			all := []any{}
			for _, s := range possible {
				all = append(all, said(t, s, object, now))
			}
			got := map[string]any{}
			data, _ := json.Marshal(all)
			if err := json.Unmarshal([]byte(`{"stages":`+string(data)+`}`), &got); err != nil {
				t.Fatal(err)
			}
			integers(got)
			if !reflect.DeepEqual(got["stages"], wanted["stages"]) {
				g, _ := yaml.Marshal(got["stages"])
				w, _ := yaml.Marshal(wanted["stages"])
				t.Errorf("got\n%s\nwant\n%s", g, w)
			}
		})
	}
}

// said returns what kwok's test writes of a Stage.
func said(t *testing.T, s *Stage, object map[string]any, now time.Time) map[string]any {
	t.Helper()
	m := map[string]any{"stage": s.Name}
	low, high, delayed, err := s.Delay(object, now)
	if err != nil {
		t.Fatal(err)
	}
	if delayed {
		m["delay"] = []time.Duration{low, high}
		if low == high {
			m["delay"] = []time.Duration{low}
		}
	}
	if w, ok, err := s.Weight(object); err != nil {
		t.Fatal(err)
	} else if ok {
		m["weight"] = w
	}
	actions, err := s.Play(object, types.MergePatchType)
	if err != nil {
		t.Fatal(err)
	}
	next := []any{}
	for _, a := range actions {
		switch {
		case a.Event != nil:
			next = append(next, map[string]any{"kind": "event", "type": a.Event.Type, "reason": a.Event.Reason,
				"message": a.Event.Message})
		case a.Patch != nil:
			p := map[string]any{"kind": "patch", "type": a.Patch.Type, "data": json.RawMessage(a.Patch.Data)}
			if a.Patch.Subresource != "" {
				p["subresource"] = a.Patch.Subresource
			}
			next = append(next, p)
		case a.Delete:
			next = append(next, map[string]any{"kind": "delete"})
		}
	}
	if s.Immediate {
		next = append(next, map[string]any{"kind": "immediate"})
	}
	m["next"] = next
	return m
}

func readYAML(t *testing.T, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
