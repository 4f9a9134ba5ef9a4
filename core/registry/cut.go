package registry

import "sync"

// cutter ends all open watches at once.
type cutter struct {
	mu sync.Mutex
	c  *cut
}

// A cut ends the watches that were opened before it.
type cut struct {
	// over is closed when they end.
	over chan struct{}
	// head is the last revision that they may still send; it is set before that.
	head int64
}

// next returns the next cut.
func (c *cutter) next() *cut {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.c == nil {
		c.c = &cut{over: make(chan struct{})}
	}
	return c.c
}

// cut ends the watches that are open. They may send what was committed up to the head.
func (c *cutter) cut(head int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.c != nil {
		c.c.head = head
		close(c.c.over)
		c.c = nil
	}
}

// done reports whether the watches are cut.
func (c *cut) done() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// before returns the events that a watch may still send: none that is newer than the cut.
func (c *cut) before(events []WatchEvent) []WatchEvent {
	for i, e := range events {
		if e.commit != nil && e.commit.Revision > c.head {
			return events[:i]
		}
	}
	return events
}
