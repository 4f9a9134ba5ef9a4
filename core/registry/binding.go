package registry

import (
	"context"
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// CheckKey returns the error of a name, not from a path, that cannot be a part of a key of etcd.
func CheckKey(name string) error {
	if name == "" {
		return status.NewBadRequest("Name parameter required.")
	}
	if wrong := syntax.PathSegment(name); len(wrong) > 0 {
		return status.NewBadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", name, strings.Join(wrong, ";")))
	}
	return nil
}

// Bind carries out a Binding: it assigns the target's pod to a node. The binding's uid and
// resourceVersion, if any, are preconditions, so that a binding does not affect a pod that was
// recreated. Admission sees the Binding, not the change of the pod, at the path of the request: asked is that of the
// older collection, or t itself.
func (r *Registry) Bind(ctx context.Context, t, asked Target, binding map[string]any, o WriteOptions) error {
	t.Subresource = "binding"
	r.writes(ctx)
	if err := r.checkPart(ctx, t, "Binding", binding); err != nil {
		return err
	}
	if err := pod.CheckBinding(binding).Err(); err != nil {
		return err
	}
	if err := r.AdmitVirtual(ctx, asked, binding, o); err != nil {
		return err
	}
	if err := CheckKey(t.Name); err != nil {
		return err
	}
	change := func(bound map[string]any) (map[string]any, error) {
		for what, path := range map[string]string{"UID": "uid", "ResourceVersion": "resourceVersion"} {
			want, have := object.GetString(binding, "metadata", path), object.GetString(bound, "metadata", path)
			if want != "" && want != have {
				return nil, preconditionFailed(t, o, what, want, have)
			}
		}
		conflict := pod.Bind(r.kindContext(o), bound, binding)
		if conflict != nil {
			return nil, status.NewConflict(status.GroupResource{Group: t.Group, Resource: t.Plural + "/binding"}, t.Name,
				conflict.Error())
		}
		return bound, nil
	}
	o.managed = true // the field has no manager, as in the real server
	_, _, err := r.Update(Admitted(ctx), t, change, false, o)
	return err
}
