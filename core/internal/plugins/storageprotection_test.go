package plugins_test

import (
	"context"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

func TestNewObjectsAreProtected(t *testing.T) {
	table := schema.Builtin()
	const pv, pvc, vac = "kubernetes.io/pv-protection", "kubernetes.io/pvc-protection", "kubernetes.io/vac-protection"
	for _, c := range []struct {
		group, plural, operation string
		given, want              []string
	}{
		{"", "persistentvolumes", admission.Create, nil, []string{pv}},
		{"", "persistentvolumeclaims", admission.Create, []string{"example.com/a"}, []string{"example.com/a", pvc}},
		{"storage.k8s.io", "volumeattributesclasses", admission.Create, nil, []string{vac}},
		{"", "persistentvolumes", admission.Create, []string{pv, "example.com/a"}, []string{pv, "example.com/a"}},
		{"", "persistentvolumes", admission.Update, nil, nil},
		{"storage.k8s.io", "storageclasses", admission.Create, nil, nil},
	} {
		obj := map[string]any{}
		object.SetFinalizers(obj, c.given)
		a := &admission.Attributes{Resource: table.Resource(c.group, "v1", c.plural), Operation: c.operation, Object: obj}
		if err := (plugins.StorageProtection{}).Mutate(context.Background(), a); err != nil {
			t.Fatal(err)
		}
		if got := object.Finalizers(obj); !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %v, want %v", c.operation, c.plural, got, c.want)
		}
	}
	deletion := &admission.Attributes{Resource: table.Resource("", "v1", "persistentvolumes"), Operation: admission.Delete}
	if err := (plugins.StorageProtection{}).Mutate(context.Background(), deletion); err != nil {
		t.Error(err)
	}
}
