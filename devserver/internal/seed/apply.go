package seed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
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
	return (&seeder{api: api, token: token}).applyAll(ctx, manifests)
}

// A seeder applies manifests as a client with this token.
type seeder struct {
	api   http.Handler
	token string
	// types has the resource types of each group version, as discovery lists them.
	types map[string][]resourceType
}

type resourceType struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	Namespaced bool   `json:"namespaced"`
}

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

// find returns the resource type of a manifest, or nil.
func (s *seeder) find(ctx context.Context, m *Manifest) (*resourceType, error) {
	is := func(t resourceType) bool { return t.Kind == m.kind && !strings.Contains(t.Name, "/") }
	if at := slices.IndexFunc(s.types[m.apiVersion], is); at >= 0 {
		return &s.types[m.apiVersion][at], nil
	}
	code, answer, err := s.do(ctx, http.MethodGet, basePath(m.apiVersion), nil)
	switch {
	case err != nil:
		return nil, err
	case code == http.StatusNotFound:
		return nil, nil
	case code != http.StatusOK:
		return nil, refusal(code, answer)
	}
	var list struct {
		Resources []resourceType `json:"resources"`
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, err
	}
	if s.types == nil {
		s.types = map[string][]resourceType{}
	}
	s.types[m.apiVersion] = list.Resources
	if at := slices.IndexFunc(list.Resources, is); at >= 0 {
		return &list.Resources[at], nil
	}
	return nil, nil
}

func basePath(apiVersion string) string {
	if !strings.Contains(apiVersion, "/") {
		return "/api/" + url.PathEscape(apiVersion)
	}
	group, version, _ := strings.Cut(apiVersion, "/")
	return "/apis/" + url.PathEscape(group) + "/" + url.PathEscape(version)
}

// apply applies one manifest.
func (s *seeder) apply(ctx context.Context, m *Manifest, t *resourceType) error {
	path := basePath(m.apiVersion)
	if t.Namespaced {
		path += "/namespaces/" + url.PathEscape(m.inNamespace())
	}
	path += "/" + t.Name + "/" + url.PathEscape(m.name) + "?force=true&fieldValidation=Strict&fieldManager=" + manager
	code, answer, err := s.do(ctx, http.MethodPatch, path, m.body)
	if err == nil && code != http.StatusOK && code != http.StatusCreated {
		err = refusal(code, answer)
	}
	return err
}

// do makes a request of the API; a body is an object to apply.
func (s *seeder) do(ctx context.Context, method, path string, body []byte) (code int, answer []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/apply-patch+yaml")
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	a := cluster.Ask(s.api, r)
	return a.Code, a.Body.Bytes(), nil
}

// refusal returns the message of a Status.
func refusal(code int, answer []byte) error {
	var status struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(answer, &status); err != nil || status.Message == "" {
		return fmt.Errorf("%d %s", code, bytes.TrimSpace(answer))
	}
	return errors.New(status.Message)
}
