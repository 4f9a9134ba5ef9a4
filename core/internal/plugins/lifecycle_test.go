package plugins_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/schema"
)

var errBroken = errors.New("the store is broken")

var lifecycle = plugins.NamespaceLifecycle{Phase: func(namespace string) (string, bool, error) {
	switch namespace {
	case "ending":
		return "Terminating", true, nil
	case "none":
		return "", false, nil
	case "broken":
		return "", false, errBroken
	}
	return "Active", true, nil
}}

// TestNamespaceLifecycleCheck has objects changed only where there is a namespace, even one that is being deleted.
func TestNamespaceLifecycleCheck(t *testing.T) {
	table := schema.Builtin()
	pods, nodes := table.Resource("", "v1", "pods"), table.Resource("", "v1", "nodes")
	for _, test := range []struct {
		a    admission.Attributes
		want string
	}{
		{admission.Attributes{Resource: pods, Namespace: "a", Operation: admission.Update}, ""},
		{admission.Attributes{Resource: pods, Namespace: "ending", Operation: admission.Update}, ""},
		{admission.Attributes{Resource: pods, Namespace: "none", Operation: admission.Update}, `namespaces "none" not found`},
		{admission.Attributes{Resource: pods, Namespace: "none", Operation: admission.Update, Subresource: "status"},
			`namespaces "none" not found`},
		{admission.Attributes{Resource: pods, Namespace: "broken", Operation: admission.Update}, errBroken.Error()},
		{admission.Attributes{Resource: pods, Namespace: "none", Operation: admission.Create}, ""}, // Precheck does that
		{admission.Attributes{Resource: nodes, Operation: admission.Update}, ""},
	} {
		got := ""
		if err := lifecycle.Check(context.Background(), &test.a); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s %s in %s: %q, want %q", test.a.Operation, test.a.Plural, test.a.Namespace, got, test.want)
		}
	}
}

func TestNamespaceLifecyclePrecheck(t *testing.T) {
	table := schema.Builtin()
	pods, namespaces := table.Resource("", "v1", "pods"), table.Resource("", "v1", "namespaces")
	named := func(meta map[string]any) map[string]any { return map[string]any{"metadata": meta} }
	const ended = " is forbidden: unable to create new content in namespace ending because it is being terminated"
	for _, test := range []struct {
		a    admission.Attributes
		want string
	}{
		{admission.Attributes{Resource: pods, Namespace: "a", Operation: admission.Create}, ""},
		{admission.Attributes{Resource: pods, Namespace: "none", Operation: admission.Create}, `namespaces "none" not found`},
		{admission.Attributes{Resource: pods, Namespace: "broken", Operation: admission.Create}, errBroken.Error()},
		{admission.Attributes{Resource: pods, Namespace: "ending", Operation: admission.Update}, ""},
		{admission.Attributes{Resource: pods, Namespace: "ending", Operation: admission.Delete}, ""},
		{admission.Attributes{Resource: pods, Namespace: "ending", Operation: admission.Create,
			Object: named(map[string]any{"name": "p"})}, `pods "p"` + ended},
		{admission.Attributes{Resource: pods, Namespace: "ending", Operation: admission.Create,
			Object: named(map[string]any{"generateName": "p-"})}, `pods "p-"` + ended},
		{admission.Attributes{Resource: pods, Namespace: "ending", Operation: admission.Create}, `pods "Unknown"` + ended},
		{admission.Attributes{Resource: pods, Namespace: "ending", Operation: admission.Create, Name: "q",
			Subresource: "binding",
			Object:      named(map[string]any{"name": "p"})}, `pods "q"` + ended},
		{admission.Attributes{Resource: namespaces, Namespace: "none", Operation: admission.Create}, ""},
		{admission.Attributes{Resource: namespaces, Name: "a", Operation: admission.Delete}, ""},
		{admission.Attributes{Resource: namespaces, Name: "kube-node-lease", Operation: admission.Delete}, ""},
		{admission.Attributes{Resource: namespaces, Name: "default", Operation: admission.Delete},
			`namespaces "default" is forbidden: this namespace may not be deleted`},
		{admission.Attributes{Resource: pods, Namespace: "a", Name: "default", Operation: admission.Delete}, ""},
	} {
		got := ""
		if err := lifecycle.Precheck(context.Background(), &test.a); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s %s %s/%s: %q, want %q", test.a.Operation, test.a.Plural, test.a.Namespace, test.a.Name, got, test.want)
		}
	}
}
