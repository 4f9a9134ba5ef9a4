package registry

import "sync"

// cutter ends all open watches at once.
type cutter struct {
	mu sync.Mutex
	c  chan struct{}
}

// channel returns a channel that is closed at the next cut.
func (c *cutter) channel() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.c == nil {
		c.c = make(chan struct{})
	}
	return c.c
}

func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.c != nil {
		close(c.c)
		c.c = nil
	}
}
