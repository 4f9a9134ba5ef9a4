// Package frozen is the admission plugin that refuses writes while a room is frozen, except those of
// its teachers and of the server itself.
//
// It costs one check per write, before webhooks are called.
package frozen

import (
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/status"
)

// Plugin is the plugin. Set its field before use.
type Plugin struct {
	// MayWrite reports whether a user may write at present.
	MayWrite func(*auth.User) bool
}

var _ admission.Checker = Plugin{}

// Check refuses a write of a user who may not write.
func (p Plugin) Check(ctx context.Context, a *admission.Attributes) error {
	if p.MayWrite(auth.UserOf(ctx)) {
		return nil
	}
	return status.NewForbidden(a.GroupResource(), a.Name, "the room is frozen: only its teachers may write")
}
