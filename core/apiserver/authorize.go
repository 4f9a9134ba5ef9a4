package apiserver

import (
	"context"
	"net/http"
	"strings"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/status"
)

// The verbs of authorization, by HTTP method; those of other methods are empty.
var authorizationVerbs = map[string]string{
	http.MethodGet: "get", http.MethodHead: "get", http.MethodPost: "create", http.MethodPut: "update",
	http.MethodPatch: "patch", http.MethodDelete: "delete",
}

// attributesOf is AttributesOf without the version.
func attributesOf(r *http.Request) auth.Attributes {
	a, _ := AttributesOf(r)
	return a
}

// AttributesOf returns the attributes of a request, from its method and URL alone, and the version of the API that
// it is for, empty if it is for none: neither the resource nor its group has to exist. The user is not set.
func AttributesOf(r *http.Request) (a auth.Attributes, version string) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	a = auth.Attributes{IsResource: true, Verb: authorizationVerbs[r.Method], Path: r.URL.Path}
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		a.Group, version, parts = parts[1], parts[2], parts[3:]
	default:
		return auth.Attributes{Verb: strings.ToLower(r.Method), Path: r.URL.Path}, ""
	}
	special := parts[0] == "watch" || parts[0] == "proxy"
	if special {
		a.Verb, parts = parts[0], parts[1:]
	}
	if len(parts) > 1 && parts[0] == "namespaces" {
		a.Namespace = parts[1]
		if len(parts) > 2 && !namespaceSubresource(parts[2]) {
			parts = parts[2:]
		}
	}
	if len(parts) > 0 {
		a.Resource = parts[0]
	}
	if len(parts) > 1 {
		a.Name = parts[1]
	}
	if len(parts) > 2 && a.Verb != "proxy" {
		a.Subresource = parts[2]
	}
	if a.Name == "" && !special {
		switch a.Verb {
		case "get":
			a.Verb, a.Name = collectionRead(r)
		case "delete":
			a.Verb = "deletecollection"
		}
	}
	return a, version
}

// collectionRead returns the verb of a GET of a collection, and the one name that it selects, if
// any. Invalid options select none.
func collectionRead(r *http.Request) (verb, name string) {
	q := r.URL.Query()
	verb = "list"
	if boolParam(q, "watch") {
		verb = "watch"
	}
	for _, number := range []string{"limit", "timeoutSeconds"} {
		if _, err := intParam(q, number); err != nil {
			return verb, ""
		}
	}
	if _, err := selector.ParseLabels(q.Get("labelSelector")); err != nil {
		return verb, ""
	}
	fields, err := selector.ParseFields(q.Get("fieldSelector"))
	if err != nil {
		return verb, ""
	}
	if name, ok := fields.RequiresExact("metadata.name"); ok && syntax.PathSegment(name) == nil {
		return verb, name
	}
	return verb, ""
}

// needsCreate also authorizes the verb create, whatever the request's own verb: a GET can upgrade
// to a stream that does what a POST does.
func (s *Server) needsCreate(r *http.Request, i *info) error {
	a, ok := auth.AttributesOf(r.Context())
	if !ok || a.Verb == "create" {
		return nil
	}
	access, err := s.Access(r.Context())
	if err != nil {
		return err
	}
	if allowed, reason := access.Authorize(a.As("create")); !allowed {
		return status.NewForbidden(i.GroupResource(), i.Name, reason)
	}
	return nil
}

// mayCreate returns a function that authorizes an update or an apply to create its object: the user
// needs that right too.
func (s *Server) mayCreate(r *http.Request) func(context.Context) error {
	a, ok := auth.AttributesOf(r.Context())
	if !ok {
		return nil
	}
	return func(ctx context.Context) error {
		access, err := s.Access(ctx)
		if err != nil {
			return err
		}
		return a.As("create").Check(access.Authorizer)
	}
}
