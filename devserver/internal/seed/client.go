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

	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
)

// A Client asks an API for its resource types, and writes objects.
type Client struct {
	API http.Handler
	// Token is its bearer token; empty: it has no credentials.
	Token string
	// types has the resource types of each group version, as discovery lists them.
	types map[string][]ResourceType
}

// A ResourceType is one of those that discovery lists.
type ResourceType struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	Namespaced bool   `json:"namespaced"`
}

// Path returns the path of an object of the type, or, without a name, of the collection. The namespace does not matter
// if the type has none.
func (t *ResourceType) Path(apiVersion, namespace, name string) string {
	path := basePath(apiVersion)
	if t.Namespaced {
		path += "/namespaces/" + url.PathEscape(namespace)
	}
	if path += "/" + t.Name; name != "" {
		path += "/" + url.PathEscape(name)
	}
	return path
}

// Find returns the resource type of a kind, or nil. What was found is remembered.
func (c *Client) Find(ctx context.Context, apiVersion, kind string) (*ResourceType, error) {
	is := func(t ResourceType) bool { return t.Kind == kind && !strings.Contains(t.Name, "/") }
	if at := slices.IndexFunc(c.types[apiVersion], is); at >= 0 {
		return &c.types[apiVersion][at], nil
	}
	a, err := c.Do(ctx, http.MethodGet, basePath(apiVersion), nil)
	switch {
	case err != nil:
		return nil, err
	case a.Code == http.StatusNotFound:
		return nil, nil
	case a.Code != http.StatusOK:
		return nil, refusal(a)
	}
	var list struct {
		Resources []ResourceType `json:"resources"`
	}
	if err := json.Unmarshal(a.Body.Bytes(), &list); err != nil {
		return nil, err
	}
	if c.types == nil {
		c.types = map[string][]ResourceType{}
	}
	c.types[apiVersion] = list.Resources
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

// Do makes a request of the API. A body is an object, as JSON: one to apply, if the method is PATCH.
func (c *Client) Do(ctx context.Context, method, path string, body []byte) (*cluster.Answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/apply-patch+yaml")
	}
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	return cluster.Ask(c.API, r), nil
}

// refusal returns the message of a Status.
func refusal(a *cluster.Answer) error {
	var status struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(a.Body.Bytes(), &status); err != nil || status.Message == "" {
		return fmt.Errorf("%d %s", a.Code, bytes.TrimSpace(a.Body.Bytes()))
	}
	return errors.New(status.Message)
}
