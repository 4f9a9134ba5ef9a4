package registry

import (
	"context"
	"sync/atomic"
)

// Some requests write more than once: a deletion marks its object before it removes it, a Service has its IPAddress
// written first, a collection is deleted object by object. In the real server each write is a request to etcd, which
// takes its time; so informers are shown every state. Here one would replace the other before anybody has read it.

// countKey is the key of a context's count of writes.
type countKey struct{}

// CountWrites returns a context whose writes are counted, for Registry.Between. There have been some before.
func CountWrites(ctx context.Context, before int64) context.Context {
	count := new(atomic.Int64)
	count.Store(before)
	return context.WithValue(ctx, countKey{}, count)
}

// countWith makes the writes of a context count as those of a request of which it is not a part.
func countWith(ctx, request context.Context) context.Context {
	if count := request.Value(countKey{}); count != nil {
		return context.WithValue(ctx, countKey{}, count)
	}
	return ctx
}

// between calls Between before a write that is not the first one of its request. Callers hold no lock.
func (r *Registry) between(ctx context.Context) error {
	if r.Between == nil {
		return nil
	}
	if count, _ := ctx.Value(countKey{}).(*atomic.Int64); count == nil || count.Add(1) == 1 {
		return nil
	}
	return r.Between(ctx)
}
