package registry

import (
	"reflect"
	"testing"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// TestStored: of any type, the part of an object that is read of a log has the same attributes as the whole.
func TestStored(t *testing.T) {
	for _, row := range schema.Builtin().Resources() {
		if row.Type() == nil || row.Virtual {
			continue
		}
		obj := map[string]any{}
		set := func(path string, v any) { setAt(obj, path, v) }
		for _, l := range FieldsOf(row).Labels {
			for _, path := range append([]string{l.Label}, l.Paths...) {
				set(path, "text")
			}
		}
		set("metadata.uid", "u")
		set("metadata.labels", map[string]any{"a": "b", "c": ""})
		set("metadata.finalizers", []any{"orphan", "foregroundDeletion"})
		set("metadata.deletionTimestamp", "2026-11-20T12:00:00Z")
		set("metadata.ownerReferences", []any{map[string]any{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "v",
			"blockOwnerDeletion": true}})
		set("metadata.managedFields", []any{map[string]any{"manager": "m"}})
		for _, text := range []string{string(object.Encode(nil, obj, nil)), `{"metadata":{}}`, `{}`} {
			whole, err := Load(row, []byte(text))
			if err != nil { // a number, say
				whole, _, _ := object.Decode([]byte(text), nil)
				for name := range whole {
					if name != "metadata" {
						delete(whole, name)
					}
				}
				text = string(object.Encode(nil, whole, nil))
				if _, err := Load(row, []byte(text)); err != nil {
					t.Fatal(row.Plural, err)
				}
			}
			if whole, err = Load(row, []byte(text)); err != nil {
				t.Fatal(row.Plural, err)
			}
			part, err := Stored(row, []byte(text), AttributesPart(row), nil)
			if err != nil || !reflect.DeepEqual(part, whole) {
				t.Errorf("%s: %+v, want %+v, %v", row.Plural, part, whole, err)
			}
		}
	}
	if _, err := Stored(schema.Builtin().Resource("", "v1", "pods"), []byte(`{"spec":{"containers":[}}`),
		AttributesPart(schema.Builtin().Resource("", "v1", "pods")), nil); err == nil {
		t.Error("what is not JSON is read")
	}
}

// setAt sets the value at a dotted path.
func setAt(obj map[string]any, path string, v any) {
	for i := range len(path) {
		if path[i] == '.' {
			inner, ok := obj[path[:i]].(map[string]any)
			if !ok {
				inner = map[string]any{}
				obj[path[:i]] = inner
			}
			setAt(inner, path[i+1:], v)
			return
		}
	}
	if _, ok := obj[path].(map[string]any); !ok {
		obj[path] = v
	}
}

// TestSharedAttributes: an object that has the labels and fields of another one takes no memory for them, and one that
// has others is not found by those of the other.
func TestSharedAttributes(t *testing.T) {
	row := schema.Builtin().Resource("", "v1", "pods")
	pod := func(app, node string) map[string]any {
		return map[string]any{"metadata": map[string]any{"labels": map[string]any{"app": app, "b": "c"}},
			"spec": map[string]any{"nodeName": node, "schedulerName": "s"}}
	}
	first := attrsOf(row, pod("a", "n"), nil)
	for _, c := range []struct {
		app, node      string
		labels, fields bool
	}{{"a", "n", true, true}, {"x", "n", false, true}, {"a", "m", true, false}, {"x", "m", false, false}} {
		a := attrsOf(row, pod(c.app, c.node), &mvcc.Version{Attrs: first})
		if !reflect.DeepEqual(a, attrsOf(row, pod(c.app, c.node), nil)) {
			t.Errorf("%s on %s: %+v", c.app, c.node, a)
		}
		if &a.labels[0] == &first.labels[0] != c.labels || &a.fields[0] == &first.fields[0] != c.fields {
			t.Errorf("%s on %s: shares labels or fields, or not", c.app, c.node)
		}
	}
}
