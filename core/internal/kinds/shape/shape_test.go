package shape_test

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	objects "github.com/tabernetes/tabernetes/core/object"
)

func TestPrint(t *testing.T) {
	type object = map[string]any
	for name, c := range map[string]struct {
		shape *shape.Struct
		obj   object
		want  string
	}{
		"zero values, and null": {&shape.Taint, object{}, `{"Key":"","Value":"","Effect":"","TimeAdded":null}`},
		"values": {&shape.Taint, object{"key": "a", "effect": "NoSchedule"},
			`{"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}`},
		"a pointer to nothing": {&shape.CSINodeDriver, object{"name": "d"},
			`{"Name":"d","NodeID":"","TopologyKeys":null,"Allocatable":null}`},
		"a pointer to a struct": {&shape.CSINodeDriver, object{"name": "d", "allocatable": object{"count": int64(1)}},
			`{"Name":"d","NodeID":"","TopologyKeys":null,"Allocatable":{"Count":1}}`},
		"a missing struct, and a list": {&shape.AllocationResult, object{},
			`{"Devices":{"Results":null,"Config":null},"NodeSelector":null,"AllocationTimestamp":null}`},
		"a list of structs": {&shape.NodeSelectorTerm, object{"matchFields": []any{object{"key": "a", "operator": "Exists"}}},
			`{"MatchExpressions":null,"MatchFields":[{"Key":"a","Operator":"Exists","Values":null}]}`},
		"embedded metadata": {&shape.PodTemplateSpec,
			object{"metadata": object{"labels": object{"a": "b"}}, "spec": object{}},
			`{"labels":{"a":"b"},"Spec":` + string(shape.PodSpec.Print(nil)) + `}`},
		"an empty list and map": {&shape.VolumeAttachmentSpec, object{"attacher": objects.EmptyList, "source": object{
			"inlineVolumeSpec": object{"capacity": objects.EmptyMap}}},
			string(shape.VolumeAttachmentSpec.Print(object{"attacher": []any{}, "source": object{
				"inlineVolumeSpec": object{"capacity": object{}}}}))},
		"a field that is left out": {&shape.LabelSelector, object{"matchLabels": objects.EmptyMap}, `{}`},
		"a struct of the API's own": {&shape.PodDisruptionBudgetSpec,
			object{"selector": object{"matchLabels": object{"a": "b"}}},
			`{"MinAvailable":null,"Selector":{"matchLabels":{"a":"b"}},"MaxUnavailable":null,` +
				`"UnhealthyPodEvictionPolicy":null}`},
	} {
		if got := string(c.shape.Print(c.obj)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
		if got := string(c.shape.PrintList([]any{c.obj, c.obj})); got != "["+c.want+","+c.want+"]" {
			t.Errorf("%s, in a list: %s", name, got)
		}
	}
}

// A block that two texts have in common is not found by lines that a long text has often: the zeros, here
// and in the last case.
func TestDiff(t *testing.T) {
	items := shape.Of("Items")
	list := func(rest int, first ...int) map[string]any {
		var all []any
		for _, n := range first {
			all = append(all, n)
		}
		for n := range rest {
			all = append(all, 10+n)
		}
		return map[string]any{"items": all}
	}
	const hunk = "@@ -1,7 +1,7 @@\n {\n  \"Items\": [\n"
	for _, c := range []struct {
		was, now map[string]any
		want     string
	}{
		{list(3), list(3), ""},
		{list(0), list(0, 1), "@@ -1,3 +1,5 @@\n {\n- \"Items\": null\n+ \"Items\": [\n+  1\n+ ]\n }\n"},
		{list(20, 0, 1, 0, 2, 0, 0, 0, 2), list(20, 1, 0, 0, 2, 0, 0, 0, 2),
			hunk + "+  1,\n   0,\n-  1,\n   0,\n   2,\n   0,\n"},
		{list(204, 0, 1, 0, 2, 0, 0, 0, 2), list(204, 1, 0, 0, 2, 0, 0, 0, 2),
			hunk + "-  0,\n   1,\n+  0,\n   0,\n   2,\n   0,\n"},
	} {
		if got := items.Diff(c.was, c.now); got != c.want {
			t.Errorf("got\n%swant\n%s", got, c.want)
		}
	}
}
