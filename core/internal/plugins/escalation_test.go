package plugins_test

import (
	"context"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/schema"
)

// role grants verbs on pods.
func role(name string, verbs ...any) tree {
	return tree{"metadata": tree{"name": name, "namespace": "a"}, "rules": []any{
		tree{"apiGroups": []any{""}, "resources": []any{"pods"}, "verbs": verbs},
	}}
}

// binding binds a role to jane.
func binding(role string) tree {
	return tree{"metadata": tree{"name": "b", "namespace": "a"},
		"roleRef":  tree{"apiGroup": auth.Group, "kind": "Role", "name": role},
		"subjects": []any{tree{"apiGroup": auth.Group, "kind": "User", "name": "jane"}}}
}

// TestEscalationCheck: jane may read pods, and may grant just that.
func TestEscalationCheck(t *testing.T) {
	var rbac auth.RBAC
	rbac.Set("roles", "a/reader", role("reader", "get"))
	rbac.Set("roles", "a/writer", role("writer", "get", "delete"))
	rbac.Set("rolebindings", "a/b", binding("reader"))
	table := schema.Builtin()
	jane, root := &auth.User{Name: "jane"}, &auth.User{Name: "root", Groups: []string{auth.Masters}}
	for name, test := range map[string]struct {
		user     *auth.User
		plural   string
		obj, old tree
		off      bool
		refused  bool
	}{
		"a role within":           {jane, "roles", role("r", "get"), nil, false, false},
		"a role beyond":           {jane, "roles", role("r", "get", "delete"), nil, false, true},
		"by the administrator":    {root, "roles", role("r", "get", "delete"), nil, false, false},
		"without RBAC":            {jane, "roles", role("r", "get", "delete"), nil, true, false},
		"a binding within":        {jane, "rolebindings", binding("reader"), nil, false, false},
		"a binding beyond":        {jane, "rolebindings", binding("writer"), nil, false, true},
		"a binding of nothing":    {jane, "rolebindings", binding("none"), nil, false, true},
		"a role as it was":        {jane, "roles", role("r", "delete"), role("r", "delete"), false, false},
		"a role that gets beyond": {jane, "roles", role("r", "delete"), role("r", "get"), false, true},
	} {
		p := plugins.Escalation{RBAC: &rbac, Active: func() bool { return !test.off }}
		operation := admission.Create
		if test.old != nil {
			operation = admission.Update
		}
		err := p.Check(auth.WithUser(context.Background(), test.user), &admission.Attributes{
			Resource: table.Resource(auth.Group, "v1", test.plural), Namespace: "a", Operation: operation,
			Object: test.obj, Old: test.old,
		})
		if (err != nil) != test.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}
