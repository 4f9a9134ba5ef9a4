package core

import (
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/apiserver"
)

// aside lets others go first while a request's webhooks are called, which may well make
// requests of their own.
func aside(call admission.Caller) admission.Caller {
	if call == nil {
		return nil
	}
	return func(ctx context.Context, c *admission.Call) (*admission.Reply, error) {
		defer apiserver.Aside(ctx)()
		return call(ctx, c)
	}
}
