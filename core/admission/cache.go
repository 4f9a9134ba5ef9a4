package admission

import (
	"sync"
	"sync/atomic"
)

// A Cache keeps what is made of stored objects until one of them is written. The zero Cache is ready. It is safe for
// concurrent use. A look at it costs an atomic load.
type Cache[T any] struct {
	changes atomic.Int64
	mu      sync.Mutex // held while the value is made
	known   atomic.Pointer[made[T]]
}

// made is a value, and the number of changes before it was made.
type made[T any] struct {
	changes int64
	value   *T
}

// Changed notes that an object was written of which the value is made.
func (c *Cache[T]) Changed() { c.changes.Add(1) }

// Get returns the current value. If it has none, read makes it from the stored objects and the value before, which
// is nil at first. If read fails, the next call tries again.
func (c *Cache[T]) Get(read func(before *T) (*T, error)) (*T, error) {
	if m := c.known.Load(); m != nil && m.changes == c.changes.Load() {
		return m.value, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	changes, before := c.changes.Load(), (*T)(nil)
	if m := c.known.Load(); m != nil {
		if m.changes == changes {
			return m.value, nil
		}
		before = m.value
	}
	value, err := read(before)
	if err != nil {
		return nil, err
	}
	c.known.Store(&made[T]{changes, value})
	return value, nil
}
