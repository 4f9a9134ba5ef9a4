package plugins_test

import (
	"context"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

func TestPodsTolerateFiveMinutes(t *testing.T) {
	table := schema.Builtin()
	const notReady, unreachable = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
	added := func(key string) any {
		return map[string]any{"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(300)}
	}
	given := func(key, effect string) any {
		return map[string]any{"key": key, "operator": "Exists", "effect": effect}
	}
	for _, c := range []struct {
		plural, operation, subresource string
		given, want                    []any
	}{
		{"pods", admission.Create, "", nil, []any{added(notReady), added(unreachable)}},
		{"pods", admission.Update, "", nil, []any{added(notReady), added(unreachable)}},
		{"pods", admission.Create, "", []any{given("a", "NoExecute")},
			[]any{given("a", "NoExecute"), added(notReady), added(unreachable)}},
		{"pods", admission.Create, "", []any{given(notReady, "NoExecute")},
			[]any{given(notReady, "NoExecute"), added(unreachable)}},
		{"pods", admission.Create, "", []any{given(unreachable, "")}, []any{given(unreachable, ""), added(notReady)}},
		{"pods", admission.Create, "", []any{given(notReady, "NoSchedule")},
			[]any{given(notReady, "NoSchedule"), added(notReady), added(unreachable)}},
		{"pods", admission.Create, "", []any{given("", "")}, []any{given("", "")}},
		{"pods", admission.Update, "status", nil, nil},
		{"podtemplates", admission.Create, "", nil, nil},
	} {
		obj := map[string]any{"spec": map[string]any{"tolerations": c.given}}
		a := &admission.Attributes{Resource: table.Resource("", "v1", c.plural), Operation: c.operation,
			Subresource: c.subresource, Object: obj}
		if err := (plugins.DefaultTolerations{}).Mutate(context.Background(), a); err != nil {
			t.Fatal(err)
		}
		if got := object.GetList(obj, "spec", "tolerations"); !object.Equal(got, c.want) {
			t.Errorf("%s %s/%s with %v: %v, want %v", c.operation, c.plural, c.subresource, c.given, got, c.want)
		}
	}
	deletion := &admission.Attributes{Resource: table.Resource("", "v1", "pods"), Operation: admission.Delete}
	if err := (plugins.DefaultTolerations{}).Mutate(context.Background(), deletion); err != nil {
		t.Error(err)
	}
}
