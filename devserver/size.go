package main

import "context"

func size(ctx context.Context, out string) error { return build(ctx, out, false) }
