package shape_test

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/kinds/shape"
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
