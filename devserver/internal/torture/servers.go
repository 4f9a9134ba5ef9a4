package torture

import (
	"context"
	"sync"
	"time"
)

// Servers has the present server: servers follow one another.
type Servers struct {
	mu      sync.Mutex
	server  *Server
	changed chan struct{}
}

// NewServers begins without a server.
func NewServers() *Servers { return &Servers{changed: make(chan struct{})} }

// Set says which server there is; nil for none.
func (s *Servers) Set(server *Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server = server
	close(s.changed)
	s.changed = make(chan struct{})
}

// Await returns the server once there is one; nil if ctx ends before.
func (s *Servers) Await(ctx context.Context) *Server {
	for {
		s.mu.Lock()
		server, changed := s.server, s.changed
		s.mu.Unlock()
		if ctx.Err() != nil {
			return nil
		}
		if server != nil && !server.Dead() {
			return server
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// waitToRetry waits a moment before something that has failed is tried again, unless the server has ended.
func waitToRetry(ctx context.Context, s *Server) {
	moment := time.NewTimer(5 * time.Millisecond)
	defer moment.Stop()
	select {
	case <-moment.C:
	case <-s.Gone:
	case <-ctx.Done():
	}
}
