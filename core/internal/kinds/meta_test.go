package kinds_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

func configMap(meta map[string]any) map[string]any {
	m := map[string]any{
		"name":              "a",
		"namespace":         "n",
		"uid":               "1",
		"resourceVersion":   "5",
		"creationTimestamp": "2026-01-01T00:00:00Z",
	}
	for k, v := range meta {
		if m[k] = v; v == nil {
			delete(m, k)
		}
	}
	return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m}
}

var configMaps = schema.Builtin().Resource("", "v1", "configmaps")

func TestValidateMeta(t *testing.T) {
	const subdomain = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ` +
		`and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is ` +
		`'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
	for _, c := range []struct {
		name string
		meta map[string]any
		want string
	}{
		{"nothing wrong", nil, ""},
		{"no name", map[string]any{"name": nil}, "metadata.name: Required value: name or generateName is required"},
		{"a prefix with a dash", map[string]any{"generateName": "a-"}, ""},
		{"a prefix with a dot", map[string]any{"generateName": "e."},
			`metadata.generateName: Invalid value: "e.": ` + subdomain},
		{"no namespace", map[string]any{"namespace": nil}, "metadata.namespace: Required value"},
		{"a bad namespace", map[string]any{"namespace": "a.b"},
			`metadata.namespace: Invalid value: "a.b": must not contain dots`},
		{"generation", map[string]any{"generation": int64(-1)},
			"metadata.generation: Invalid value: -1: must be greater than or equal to 0"},
		{"long annotations", map[string]any{"annotations": map[string]any{"a": strings.Repeat("x", 256<<10)}},
			"metadata.annotations: Too long: may not be more than 262144 bytes"},
		{"annotations that fit", map[string]any{"annotations": map[string]any{"A": strings.Repeat("x", 256<<10-1)}}, ""},
		{"an event as owner",
			map[string]any{"ownerReferences": []any{map[string]any{
				"apiVersion": "v1",
				"kind":       "Event",
				"name":       "e",
				"uid":        "2",
			}}},
			`metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"e","uid":"2"}: /v1, ` +
				`Kind=Event is disallowed from being an owner`},
		{"an owner of no version",
			map[string]any{"ownerReferences": []any{map[string]any{
				"apiVersion": "apps/",
				"kind":       "X",
				"name":       "e",
				"uid":        "2",
			}}},
			`metadata.ownerReferences.apiVersion: Invalid value: "apps/": version must not be empty`},
		{"both finalizers of deletion", map[string]any{"finalizers": []any{"orphan", "foregroundDeletion"}},
			`metadata.finalizers: Invalid value: ` +
				`["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set`},
		{"an unknown finalizer", map[string]any{"finalizers": []any{"kubernetes", "mine"}},
			`metadata.finalizers[1]: Invalid value: "mine": name is neither a standard finalizer name nor ` +
				`is it fully qualified`},
		{"a manager of no operation",
			map[string]any{"managedFields": []any{map[string]any{"manager": "m\n", "operation": "Guess", "fieldsType": "V0"}}},
			"[metadata.managedFields[0].operation: Invalid value: \"Guess\": must be `Apply` or `Update`, " +
				"metadata.managedFields[0].fieldsType: Invalid value: \"V0\": must be `FieldsV1`, " +
				"metadata.managedFields[0].manager: Invalid value: \"m\\n\": invalid character U+000A (at position 1)]"},
	} {
		got := ""
		if errs := metadata.Validate(configMaps, configMap(c.meta)); len(errs) > 0 {
			got = errs.Message()
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	nodes := schema.Builtin().Resource("", "v1", "nodes")
	if errs := metadata.Validate(nodes, configMap(nil)); len(errs) != 1 ||
		errs.Message() != "metadata.namespace: Forbidden: not allowed on this type" {
		t.Errorf("a node in a namespace: %s", errs.Message())
	}
}

func TestValidateMetaUpdate(t *testing.T) {
	deleting := configMap(map[string]any{
		"deletionTimestamp": "2026-01-02T00:00:00Z",
		"finalizers":        []any{"a/b"},
		"generation":        int64(3),
	})
	for _, c := range []struct {
		name string
		meta map[string]any
		want string
	}{
		{"nothing changed", map[string]any{}, ""},
		{"a finalizer less", map[string]any{"finalizers": nil}, ""},
		{"a finalizer more", map[string]any{"finalizers": []any{"a/b", "c/e", "c/d"}},
			`metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new ` +
				`finalizers []string{"c/d", "c/e"}`},
		{"no version", map[string]any{"resourceVersion": nil},
			`metadata.resourceVersion: Invalid value: "": must be specified for an update`},
		{"an older generation", map[string]any{"generation": int64(2)},
			"metadata.generation: Invalid value: 2: must not be decremented"},
		{"another name", map[string]any{"name": "b"}, `metadata.name: Invalid value: "b": field is immutable`},
		{"another uid", map[string]any{"uid": "2"}, `metadata.uid: Invalid value: "2": field is immutable`},
		{"not deleted any more", map[string]any{"deletionTimestamp": nil},
			"metadata.deletionTimestamp: Invalid value: null: field is immutable"},
		{"born later", map[string]any{"creationTimestamp": "2027-01-01T00:00:00Z"},
			`metadata.creationTimestamp: Invalid value: "2027-01-01T00:00:00Z": field is immutable`},
	} {
		obj := object.DeepCopy(deleting)
		for k, v := range c.meta {
			if object.Meta(obj)[k] = v; v == nil {
				delete(object.Meta(obj), k)
			}
		}
		got := ""
		if errs := metadata.ValidateUpdate(obj, deleting); len(errs) > 0 {
			got = errs.Message()
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// Fields that a client may leave out of an update, or not change, keep the old object's values.
func TestUpdateKeeps(t *testing.T) {
	old := configMap(map[string]any{
		"deletionTimestamp":          "2026-01-02T00:00:00Z",
		"deletionGracePeriodSeconds": int64(30),
		"generation":                 int64(7),
	})
	obj := configMap(map[string]any{"uid": nil, "creationTimestamp": "2001-01-01T00:00:00Z", "generation": int64(99)})
	c := &strategy.Context{Now: time.Now, NewUID: func() string { return "x" }}
	if errs := kinds.For("", "ConfigMap").Update(c, configMaps, obj, old); len(errs) > 0 {
		t.Fatal(errs.Message())
	}
	if !object.Equal(obj, old) {
		t.Errorf("got %v\nwant %v", obj, old)
	}
}

// Custom resources have the strategy of all kinds, except for the one about the names of
// finalizers.
func TestCustomResource(t *testing.T) {
	res := &schema.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget", Namespaced: true}
	res.HasGeneration, res.HasStatus, res.AnyFinalizer = true, true, true
	c := &strategy.Context{Now: time.Now, NewUID: func() string { return "x" }}
	obj := configMap(map[string]any{"finalizers": []any{"mine"}})
	obj["spec"] = map[string]any{"size": int64(1)}
	strat := kinds.For("example.com", "Widget")
	if errs := createAll(strat, c, res, obj); len(errs) > 0 {
		t.Fatal(errs.Message())
	}
	changed := object.DeepCopy(obj)
	object.SetNested(changed, int64(2), "spec", "size")
	object.SetNested(changed, "Ready", "status", "phase")
	if errs := updateAll(strat, c, res, "", changed, obj); len(errs) > 0 {
		t.Fatal(errs.Message())
	}
	if object.Generation(changed) != 2 || object.GetString(changed, "status", "phase") != "" {
		t.Errorf("after an update of the spec: %v", changed)
	}
	object.SetNested(changed, "Ready", "status", "phase")
	object.SetNested(changed, int64(3), "spec", "size")
	if errs := updateAll(strat, c, res, "status", changed, obj); len(errs) > 0 {
		t.Fatal(errs.Message())
	}
	if object.Generation(changed) != 1 || object.GetString(changed, "status", "phase") != "Ready" {
		t.Errorf("after an update of the status: %v", changed)
	}
}

func TestGeneratedName(t *testing.T) {
	if got := metadata.GeneratedName("web-", "abcde"); got != "web-abcde" {
		t.Error(got)
	}
	if got := metadata.GeneratedName(strings.Repeat("x", 70), "abcde"); got != strings.Repeat("x", 58)+"abcde" {
		t.Error(got)
	}
}

func TestBindPod(t *testing.T) {
	c := &strategy.Context{Now: func() time.Time { return time.Unix(0, 0) }}
	binding := func(kind, name string) map[string]any {
		return map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{"from": "binder"}},
			"target":   map[string]any{"kind": kind, "name": name},
		}
	}
	bound := map[string]any{"metadata": map[string]any{"name": "p"}, "spec": map[string]any{}}
	if errs := pod.CheckBinding(binding("Pod",
		"n")); errs.Message() != `target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"` {
		t.Error(errs.Message())
	}
	if errs := pod.CheckBinding(binding("", "")); errs.Message() != "target.name: Required value" {
		t.Error(errs.Message())
	}
	if conflict := pod.Bind(c, bound, binding("Node", "n1")); conflict != nil {
		t.Fatal(conflict)
	}
	want := map[string]any{
		"metadata": map[string]any{"name": "p", "annotations": map[string]any{"from": "binder"}},
		"spec":     map[string]any{"nodeName": "n1"},
		"status": map[string]any{"conditions": []any{map[string]any{
			"type": "PodScheduled", "status": "True", "lastProbeTime": nil, "lastTransitionTime": "1970-01-01T00:00:00Z"}}},
	}
	if !object.Equal(bound, want) {
		t.Errorf("got %v\nwant %v", bound, want)
	}
	if conflict := pod.Bind(c, bound, binding("Node", "n2")); conflict == nil ||
		conflict.Error() != `pod p is already assigned to node "n1"` {
		t.Error(conflict)
	}
}
