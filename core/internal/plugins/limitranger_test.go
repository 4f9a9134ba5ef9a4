package plugins_test

import (
	"context"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

const limits = `{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"l","namespace":"a"},
	"spec":{"limits":[{"type":"Container","max":{"cpu":"2"},"default":{"cpu":"1"}}]}}`

// pod requests an amount of CPU; "" sets none.
func pod(cpu string) map[string]any {
	container := map[string]any{"name": "c", "image": "i"}
	if cpu != "" {
		container["resources"] = map[string]any{"limits": map[string]any{"cpu": cpu}}
	}
	return map[string]any{"metadata": map[string]any{"name": "p"}, "spec": map[string]any{"containers": []any{container}}}
}

func cpuOf(pod map[string]any) string {
	container, _ := object.GetList(pod, "spec", "containers")[0].(map[string]any)
	return object.GetString(container, "resources", "limits", "cpu")
}

func TestLimitRanger(t *testing.T) {
	table, store := schema.Builtin(), mvcc.New(func() time.Time { return time.Time{} })
	put := func(int64) ([]byte, any) { return []byte(limits), nil }
	if _, err := store.Put(table.Resource("", "v1", "limitranges").Bucket(), "a/l", 0, put); err != nil {
		t.Fatal(err)
	}
	p := plugins.LimitRanger{Store: store, Table: table}
	pods := table.Resource("", "v1", "pods")
	const beyond = `pods "p" is forbidden: maximum cpu usage per Container is 2, but limit is 3`
	for _, test := range []struct {
		operation, namespace, subresource, cpu, want string
		err                                          string
	}{
		{admission.Create, "a", "", "", "1", ""},
		{admission.Create, "b", "", "", "", ""},
		{admission.Create, "a", "", "2", "2", ""},
		{admission.Create, "a", "", "3", "3", beyond},
		{admission.Create, "b", "", "3", "3", ""},
		{admission.Update, "a", "", "3", "3", ""},
		{admission.Update, "a", "resize", "3", "3", beyond},
		{admission.Delete, "a", "", "3", "3", ""},
	} {
		a := &admission.Attributes{
			Resource: pods, Namespace: test.namespace, Name: "p", Subresource: test.subresource,
			Operation: test.operation, Object: pod(test.cpu),
		}
		if err := p.Mutate(context.Background(), a); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := p.Validate(context.Background(), a); err != nil {
			got = err.Error()
		}
		if cpu := cpuOf(a.Object); cpu != test.want || got != test.err {
			t.Errorf("%s %s in %s with %q: %q, %q", test.operation, test.subresource, test.namespace, test.cpu, cpu, got)
		}
	}
}
