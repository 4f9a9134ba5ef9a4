package plugins_test

import (
	"context"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

func TestRequestorIsRecorded(t *testing.T) {
	row := schema.Builtin().Resource("certificates.k8s.io", "v1", "certificatesigningrequests")
	jane := &auth.User{Name: "jane", Groups: []string{"dev", "system:authenticated"},
		Extra: map[string][]string{"k": {"v"}}}
	ctx := auth.WithUser(context.Background(), jane)
	forged := func() map[string]any {
		return map[string]any{"spec": map[string]any{"username": "root", "uid": "0", "groups": []any{"system:masters"}}}
	}
	want := map[string]any{"spec": map[string]any{
		"username": "jane", "groups": []any{"dev", "system:authenticated"}, "extra": map[string]any{"k": []any{"v"}},
	}}
	for operation, want := range map[string]map[string]any{admission.Create: want, admission.Update: forged()} {
		obj := forged()
		if err := (plugins.Requestor{}).Mutate(ctx,
			&admission.Attributes{Resource: row, Operation: operation, Object: obj}); err != nil {
			t.Fatal(err)
		}
		if !object.Equal(obj, want) {
			t.Errorf("%s: got %v, want %v", operation, obj, want)
		}
	}
}
