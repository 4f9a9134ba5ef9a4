package bench

import (
	"cmp"
	"context"
	"io"

	native "github.com/tabernetes/tabernetes/devserver/internal/bench"
)

// RunOwn measures the server at o.URL, or, if that is empty, one that is started for it.
func RunOwn(ctx context.Context, out io.Writer, o Options) error {
	if o.URL != "" {
		return Run(ctx, out, o)
	}
	server, err := native.Start(ctx, "--rooms")
	if err != nil {
		return err
	}
	o.URL, o.Process = server.URL, server.Process
	err = Run(ctx, out, o)
	return cmp.Or(err, server.End())
}
