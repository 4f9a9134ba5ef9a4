package auth_test

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/object"
)

// TestDefaults checks that every default binding refers to a default role, and what the three kinds
// of users may do on a server that has nothing else.
func TestDefaults(t *testing.T) {
	r := &auth.RBAC{}
	resources := map[string]string{"Role": "roles", "ClusterRole": "clusterroles", "RoleBinding": "rolebindings",
		"ClusterRoleBinding": "clusterrolebindings"}
	seen := map[string]bool{}
	for _, obj := range auth.Defaults() {
		kind, key := object.Kind(obj), object.Name(obj)
		if namespace := object.Namespace(obj); namespace != "" {
			key = namespace + "/" + key
		}
		if seen[kind+key] {
			t.Errorf("%s %s is there twice", kind, key)
		}
		seen[kind+key] = true
		if ref := object.GetMap(obj, "roleRef"); ref != nil {
			if _, ok := r.BoundRules(obj, object.Namespace(obj)); !ok {
				t.Errorf("%s %s: there is no %v", kind, key, ref)
			}
		}
		r.Set(resources[kind], key, obj)
	}
	authenticated := &auth.User{Name: "x", Groups: []string{auth.Authenticated}}
	for _, c := range []struct {
		user *auth.User
		path string
		want bool
	}{
		{auth.Anonymous, "/healthz", true},
		{auth.Anonymous, "/version", true},
		{auth.Anonymous, "/api", false},
		{authenticated, "/api", true},
		{authenticated, "/apis/apps/v1", true},
		{authenticated, "/metrics", false},
		{auth.Admin, "/metrics", true},
	} {
		if got, reason := r.Authorize(auth.Attributes{User: c.user, Verb: "get", Path: c.path}); got != c.want {
			t.Errorf("%s gets %s: %v %s", c.user.Name, c.path, got, reason)
		}
	}
}
