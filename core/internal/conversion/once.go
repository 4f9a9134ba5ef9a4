package conversion

import (
	"context"
	"sync"

	"github.com/tabernetes/tabernetes/core/schema"
)

// kept are the objects that lists and watches have had converted, by their stored bytes: those do not change, and
// stay where they are as long as they are known here.
type kept struct {
	mu  sync.Mutex
	all map[*byte]*schema.Converted
}

// maxKept is how many are kept of a version. Beyond that all are forgotten, and converted again when they are needed.
const maxKept = 10_000

// Made implements schema.Converter.
func (k *kept) Made(value []byte) *schema.Converted {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.all[&value[0]]
}

// Once implements schema.Converter. Objects are converted one after another, as the watch cache of a version does it.
func (c *converter) Once(ctx context.Context, value []byte, build func() (*schema.Converted, error)) (*schema.Converted,
	error) {
	if made := c.Made(value); made != nil {
		return made, nil
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if made := c.Made(value); made != nil {
		return made, nil
	}
	made, err := build()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil || len(c.all) >= maxKept {
		c.all = map[*byte]*schema.Converted{}
	}
	c.all[&value[0]] = made
	return made, nil
}
