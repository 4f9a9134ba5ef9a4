package frozen_test

import (
	"context"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/room/internal/frozen"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

func TestCheck(t *testing.T) {
	ada := &auth.User{Name: "ada"}
	p := frozen.Plugin{MayWrite: func(u *auth.User) bool { return u == ada }}
	a := &admission.Attributes{
		Resource: schema.Builtin().Resource("", "v1", "configmaps"), Name: "a", Operation: admission.Delete,
	}
	if err := p.Check(auth.WithUser(context.Background(), ada), a); err != nil {
		t.Error(err)
	}
	err := p.Check(auth.WithUser(context.Background(), &auth.User{Name: "bob"}), a)
	if want := `configmaps "a" is forbidden: the room is frozen: only its teachers may write`; !status.Is(err,
		status.Forbidden) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
