package apiserver

import (
	"context"
	"sync"

	"github.com/tabernetes/tabernetes/core/openapi"
)

// descriptions keeps what is said of the types, once it is there.
type descriptions struct {
	mu     sync.Mutex
	said   *openapi.Descriptions
	failed bool
}

// describe loads the descriptions, before an OpenAPI document is made. Without
// them, as when the page is offline, documents say nothing of the types; the next
// request tries again.
func (s *Server) describe(ctx context.Context) {
	if s.Descriptions == nil {
		return
	}
	d := &s.descriptions
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.said != nil {
		return
	}
	text, err := s.Descriptions(ctx)
	if err == nil {
		d.said, err = openapi.ParseDescriptions(text)
	}
	d.failed = err != nil
}

// described adds what is said of the types to a document.
func (s *Server) described(document map[string]any) map[string]any {
	s.descriptions.mu.Lock()
	said := s.descriptions.said
	s.descriptions.mu.Unlock()
	said.Describe(document)
	return document
}

// describes reports whether documents have descriptions, or will have when they are
// asked for.
func (s *Server) describes() bool {
	s.descriptions.mu.Lock()
	defer s.descriptions.mu.Unlock()
	return s.Descriptions != nil && !s.descriptions.failed
}
