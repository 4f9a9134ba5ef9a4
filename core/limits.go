package core

import (
	"context"

	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apiserver"
)

// aside lets others go first while a request's webhooks are called, which may well make
// requests of their own.
func aside(call webhooks.Caller) webhooks.Caller {
	if call == nil {
		return nil
	}
	return func(ctx context.Context, c *webhooks.Call) (*webhooks.Reply, error) {
		defer apiserver.Aside(ctx)()
		return call(ctx, c)
	}
}
