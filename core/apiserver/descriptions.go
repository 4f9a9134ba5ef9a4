package apiserver

import (
	"context"
	"sync"

	"github.com/tabernetes/tabernetes/core/openapi"
)

// descriptions caches the descriptions of types once they are loaded.
type descriptions struct {
	mu     sync.Mutex
	said   *openapi.Descriptions
	failed bool
}

// describe loads the descriptions, before an OpenAPI document is made. If that fails, as when the
// page is offline, documents have no descriptions; the next request tries again.
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

// described adds the descriptions to a document.
func (s *Server) described(document map[string]any) map[string]any {
	s.descriptions.mu.Lock()
	said := s.descriptions.said
	s.descriptions.mu.Unlock()
	said.Describe(document)
	return document
}

// describes reports whether documents have descriptions, or will have them when they are requested.
func (s *Server) describes() bool {
	s.descriptions.mu.Lock()
	defer s.descriptions.mu.Unlock()
	return s.Descriptions != nil && !s.descriptions.failed
}
