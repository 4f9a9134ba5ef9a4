package seed

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// manager is the field manager of what is applied.
const manager = "tabernetes-seed"

const (
	// timeout is how long the types of custom resources may take to be served, and interval how long to wait before
	// asking again.
	timeout  = 10 * time.Second
	interval = 20 * time.Millisecond
)

// Apply applies manifests to an API as a client with a token, "" being one without: definitions of resources first,
// then namespaces, then the others in their order, waiting for the types that the definitions make. Fields that the
// manifests name get their values, even if others have set them since. The first manifest that is refused ends it.
func Apply(ctx context.Context, api http.Handler, token string, manifests []*Manifest) error {
	return (&seeder{Client{API: api, Token: token}}).applyAll(ctx, manifests)
}

// A seeder applies manifests as a client.
type seeder struct{ Client }

func (s *seeder) applyAll(ctx context.Context, manifests []*Manifest) error {
	manifests = slices.Clone(manifests)
	slices.SortStableFunc(manifests, func(a, b *Manifest) int { return a.rank() - b.rank() })
	deadline := time.Now().Add(timeout)
	for _, m := range manifests {
		t, err := s.await(ctx, m, deadline, slices.ContainsFunc(manifests, m.mayBeDefinedBy))
		if err == nil && t == nil {
			err = fmt.Errorf("there is no resource of kind %s in version %s", m.kind, m.apiVersion)
		}
		if err == nil {
			err = s.apply(ctx, m, t)
		}
		if err != nil {
			return fmt.Errorf("--seed: %s: %s %s: %w", m.origin, m.kind, m.name, err)
		}
	}
	return nil
}

// apply applies one manifest.
func (s *seeder) apply(ctx context.Context, m *Manifest, t *ResourceType) error {
	path := t.Path(m.apiVersion, m.inNamespace(), m.name) + "?force=true&fieldValidation=Strict&fieldManager=" + manager
	a, err := s.Do(ctx, http.MethodPatch, path, m.body)
	if err == nil && a.Code != http.StatusOK && a.Code != http.StatusCreated {
		err = refusal(a)
	}
	return err
}
