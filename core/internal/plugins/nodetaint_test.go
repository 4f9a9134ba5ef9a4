package plugins_test

import (
	"context"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

func TestNewNodesAreTainted(t *testing.T) {
	table := schema.Builtin()
	taint := func(key, effect string) any { return map[string]any{"key": key, "effect": effect} }
	const notReady = "node.kubernetes.io/not-ready"
	for _, c := range []struct {
		plural, operation, subresource string
		given, want                    []any
	}{
		{"nodes", admission.Create, "", nil, []any{taint(notReady, "NoSchedule")}},
		{"nodes", admission.Create, "", []any{taint("a", "NoSchedule"), taint(notReady, "NoExecute")},
			[]any{taint("a", "NoSchedule"), taint(notReady, "NoExecute"), taint(notReady, "NoSchedule")}},
		{"nodes", admission.Create, "", []any{taint(notReady, "NoSchedule")}, []any{taint(notReady, "NoSchedule")}},
		{"nodes", admission.Create, "status", nil, nil},
		{"nodes", admission.Update, "", nil, nil},
		{"pods", admission.Create, "", nil, nil},
	} {
		obj := map[string]any{"spec": map[string]any{"taints": c.given}}
		a := &admission.Attributes{Resource: table.Resource("", "v1", c.plural), Operation: c.operation,
			Subresource: c.subresource, Object: obj}
		if err := (plugins.NodeTaint{}).Mutate(context.Background(), a); err != nil {
			t.Fatal(err)
		}
		if got := object.GetList(obj, "spec", "taints"); !object.Equal(got, c.want) {
			t.Errorf("%s %s/%s of %v: %v, want %v", c.operation, c.plural, c.subresource, c.given, got, c.want)
		}
	}
	deletion := &admission.Attributes{Resource: table.Resource("", "v1", "nodes"), Operation: admission.Delete}
	if err := (plugins.NodeTaint{}).Mutate(context.Background(), deletion); err != nil {
		t.Error(err)
	}
}
