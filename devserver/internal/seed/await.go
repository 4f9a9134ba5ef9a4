package seed

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

// Await waits until the types of the definitions among applied manifests are served: a client that looks at discovery
// only once, as controller-runtime's does, finds them then. It returns an error for the first one that is not served in
// time, because its names are taken, say.
func Await(ctx context.Context, api http.Handler, token string, manifests []*Manifest) error {
	s := &seeder{Client{API: api, Token: token}}
	deadline := time.Now().Add(timeout)
	for _, m := range manifests {
		for _, made := range m.defines() {
			t, err := s.await(ctx, made, deadline, true)
			if err == nil && t == nil {
				err = fmt.Errorf("kind %s in version %s is not served", made.kind, made.apiVersion)
			}
			if err != nil {
				return fmt.Errorf("%s: %s: %w", m.origin, m.name, err)
			}
		}
	}
	return nil
}

// defines returns one manifest for each version that a definition has served, with its type alone; none for others.
func (m *Manifest) defines() (all []*Manifest) {
	var definition struct {
		Spec struct {
			Group    string
			Names    struct{ Kind string }
			Versions []struct {
				Name   string
				Served bool
			}
		}
	}
	if m.rank() != 0 || json.Unmarshal(m.body, &definition) != nil {
		return nil
	}
	for _, v := range definition.Spec.Versions {
		if v.Served {
			all = append(all, &Manifest{apiVersion: definition.Spec.Group + "/" + v.Name, kind: definition.Spec.Names.Kind})
		}
	}
	return all
}

// await returns the resource type of a manifest, or nil if none exists; while it may come, it waits for it.
func (s *seeder) await(ctx context.Context, m *Manifest, deadline time.Time, mayCome bool) (*ResourceType, error) {
	for {
		t, err := s.Find(ctx, m.apiVersion, m.kind)
		if t != nil || err != nil || !mayCome || time.Now().After(deadline) {
			return t, err
		}
		if err := clock.Sleep(ctx, clock.Real(), interval); err != nil {
			return nil, err
		}
	}
}
