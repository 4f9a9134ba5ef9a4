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

func newPlugin(t *testing.T, classes map[string]string) plugins.RuntimeClass {
	t.Helper()
	p := plugins.RuntimeClass{Store: mvcc.New(func() time.Time { return time.Time{} }), Table: schema.Builtin()}
	for name, text := range classes {
		bucket := p.Table.Resource("node.k8s.io", "v1", "runtimeclasses").Bucket()
		if _, err := p.Store.Put(bucket, name, 0, func(int64) ([]byte, any) { return []byte(text), nil }); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// TestRuntimeClass passes new pods through both phases.
func TestRuntimeClass(t *testing.T) {
	p := newPlugin(t, map[string]string{
		"plain": `{"metadata":{"name":"plain"},"handler":"h"}`,
		"heavy": `{"metadata":{"name":"heavy"},"handler":"h","overhead":{"podFixed":{"cpu":"100m"}},
			"scheduling":{"nodeSelector":{"disk":"ssd","zone":"a"},
			"tolerations":[{"key":"k","operator":"Exists"},{"key":"l","operator":"Exists","effect":"NoSchedule"}]}}`,
	})
	pods := p.Table.Resource("", "v1", "pods")
	parse := func(spec string) map[string]any {
		t.Helper()
		obj, _, err := object.Decode([]byte(`{"metadata":{"generateName":"p-"},"spec":`+spec+`}`), pods.Type())
		if err != nil {
			t.Fatal(err)
		}
		return obj
	}
	const (
		scheduled = `"overhead":{"cpu":"100m"},"nodeSelector":{"disk":"ssd","zone":"a"},"tolerations":[` +
			`{"key":"k","operator":"Exists"},{"key":"l","operator":"Exists","effect":"NoSchedule"}]}`
		refused = `pods "p-" is forbidden: `
		other   = refused + "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
		without = refused + "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
	)
	for _, c := range []struct{ spec, want, mutate, validate string }{
		{`{}`, `{}`, "", ""},
		{`{"overhead":{"cpu":"1"}}`, `{"overhead":{"cpu":"1"}}`, "", without},
		{`{"runtimeClassName":"plain"}`, `{"runtimeClassName":"plain"}`, "", ""},
		{`{"runtimeClassName":"plain","overhead":{"cpu":"1"}}`, `{"runtimeClassName":"plain","overhead":{"cpu":"1"}}`, "",
			without},
		{`{"runtimeClassName":"none"}`, `{"runtimeClassName":"none"}`,
			refused + `pod rejected: RuntimeClass "none" not found`, refused + `pod rejected: RuntimeClass "none" not found`},
		{`{"runtimeClassName":""}`, `{"runtimeClassName":""}`, "resource name may not be empty",
			"resource name may not be empty"},
		{`{"runtimeClassName":"heavy"}`, `{"runtimeClassName":"heavy",` + scheduled, "", ""},
		{`{"runtimeClassName":"heavy","overhead":{"cpu":"0.1"},"nodeSelector":{"zone":"a"}}`,
			`{"runtimeClassName":"heavy",` + scheduled, "", ""},
		{`{"runtimeClassName":"heavy","overhead":{"cpu":"1"}}`, `{"runtimeClassName":"heavy","overhead":{"cpu":"1"}}`,
			other, other},
		{`{"runtimeClassName":"heavy","nodeSelector":{"disk":"hdd"}}`,
			`{"runtimeClassName":"heavy","overhead":{"cpu":"100m"},"nodeSelector":{"disk":"hdd"}}`,
			refused + "conflict: runtimeClass.scheduling.nodeSelector[disk] = ssd; pod.spec.nodeSelector[disk] = hdd", ""},
		{`{"runtimeClassName":"heavy","tolerations":[{"key":"k","operator":"Equal","value":"v"},
			{"key":"l","operator":"Exists","effect":"NoSchedule"}]}`,
			`{"runtimeClassName":"heavy","overhead":{"cpu":"100m"},"nodeSelector":{"disk":"ssd","zone":"a"},"tolerations":[` +
				`{"key":"l","operator":"Exists","effect":"NoSchedule"},{"key":"k","operator":"Exists"}]}`, "", ""},
	} {
		a := &admission.Attributes{Resource: pods, Namespace: "n", Operation: admission.Create, Object: parse(c.spec)}
		if got := message(p.Mutate(context.Background(), a)); got != c.mutate {
			t.Errorf("%s: mutating %q, want %q", c.spec, got, c.mutate)
		}
		if want := parse(c.want); !object.Equal(a.Object, want) {
			t.Errorf("%s: got %v, want %v", c.spec, a.Object["spec"], want["spec"])
		}
		if got := message(p.Validate(context.Background(), a)); got != c.validate {
			t.Errorf("%s: validating %q, want %q", c.spec, got, c.validate)
		}
		for _, a := range []*admission.Attributes{
			{Resource: pods, Operation: admission.Update, Object: parse(c.spec), Old: parse(c.spec)},
			{Resource: pods, Operation: admission.Create, Subresource: "binding", Object: parse(c.spec)},
			{Resource: pods, Operation: admission.Delete},
		} {
			if p.Mutate(context.Background(), a) != nil || p.Validate(context.Background(), a) != nil ||
				a.Object != nil && !object.Equal(a.Object, parse(c.spec)) {
				t.Errorf("%s: %s %s is not left alone", c.spec, a.Operation, a.Subresource)
			}
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
