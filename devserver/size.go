package main

import (
	"context"

	"github.com/tabernetes/tabernetes/devserver/site"
)

func size(ctx context.Context, out string) error {
	_, err := build(ctx, site.Options{Out: out})
	return err
}
