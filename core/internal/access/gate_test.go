package access

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/object"
)

// TestRequestsWaitForTheRoles switches RBAC on: requests wait until the default roles exist, or the
// cluster or the request ends.
func TestRequestsWaitForTheRoles(t *testing.T) {
	closing, end := context.WithCancelCause(context.Background())
	created := 0
	g := New(closing, func(map[string]any, string) error { created++; return nil }, nil)
	g.Set(Settings{Authorization: AlwaysAllow, WithoutCredentials: Admin})
	if access, err := g.Access(context.Background()); err != nil || !access.Lenient || g.UsesRBAC() {
		t.Fatalf("%+v, %v", access, err)
	}
	g.Set(Settings{Authorization: RBAC, WithoutCredentials: Unauthorized})
	gone, errGone := errors.New("the client is gone"), error(nil)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(gone)
	if _, errGone = g.Access(ctx); errGone != gone {
		t.Errorf("a request that ends: %v", errGone)
	}
	if err := g.CreateRoles(); err != nil || created != len(auth.Defaults()) {
		t.Errorf("%d objects were created, %v", created, err)
	}
	access, err := g.Access(context.Background())
	if err != nil || access.Lenient || !g.UsesRBAC() || access.Authenticator.WithoutCredentials != nil {
		t.Errorf("%+v, %v", access, err)
	}
	if err := g.CreateRoles(); err != nil || created != len(auth.Defaults()) {
		t.Errorf("they were created again: %d objects, %v", created, err)
	}
	g.Set(Settings{Authorization: AlwaysAllow})
	g.Set(Settings{Authorization: RBAC})
	ended := errors.New("the cluster is gone")
	end(ended)
	if _, err := g.Access(context.Background()); err != ended {
		t.Errorf("the cluster has ended: %v", err)
	}
}

// TestUIDsOfRoles wants the uids of the default roles to be derived from that of the first one that is created.
func TestUIDsOfRoles(t *testing.T) {
	var after []string
	g := New(context.Background(), func(obj map[string]any, other string) error {
		if len(after) > 0 { // the first one is there
			object.SetNested(obj, "a", "metadata", "uid")
		}
		after = append(after, other)
		return nil
	}, nil)
	g.Set(Settings{Authorization: RBAC})
	if err := g.CreateRoles(); err != nil || len(after) < 3 {
		t.Fatalf("%q, %v", after, err)
	}
	if after[0] != "" || after[1] != "" || slices.ContainsFunc(after[2:], func(a string) bool { return a != "a" }) {
		t.Errorf("%q", after)
	}
}

// TestRolesThatCannotBeCreated checks that requests do not wait for roles that cannot be created.
func TestRolesThatCannotBeCreated(t *testing.T) {
	full := errors.New("the store is full")
	g := New(context.Background(), func(map[string]any, string) error { return full }, nil)
	g.Set(Settings{Authorization: RBAC})
	if err := g.CreateRoles(); err != full {
		t.Errorf("%v", err)
	}
	if _, err := g.Access(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestTokens(t *testing.T) {
	g := New(context.Background(), nil, nil)
	g.Set(Settings{Authorization: AlwaysAllow, WithoutCredentials: Anonymous,
		Tokens: []Token{{Token: "t", User: "jane", UID: "7"}}})
	access, err := g.Access(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if u := access.Authenticator.Tokens["t"]; u == nil || u.Name != "jane" || u.UID != "7" ||
		access.Authenticator.WithoutCredentials != auth.Anonymous {
		t.Errorf("%+v", access.Authenticator)
	}
}
