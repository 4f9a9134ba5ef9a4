package apiserver

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// info is what a request to a resource asks.
type info struct {
	registry.Target
	// sub is the subresource; nil for the object or collection itself.
	sub  *schema.Subresource
	view *view
	verb string
}

// verbs of HTTP methods, for collections and for what has a name.
var (
	collectionVerbs = map[string]string{http.MethodGet: "list", http.MethodPost: "create", http.MethodDelete: "deletecollection"}
	namedVerbs      = map[string]string{http.MethodGet: "get", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete"}
	subVerbs        = map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete"}
)

// resolve finds the resource below a group version that a path leads to, and
// the verb. The path has the segments behind the group version. It returns the
// 404 and 405 of the real server.
func resolve(table *schema.Table, group, version string, segments []string, r *http.Request) (*info, error) {
	if empty := slices.Index(segments, ""); empty >= 0 && !slices.Contains(segments[:empty], "proxy") {
		return nil, status.NewUnknownPath()
	}
	var i info
	watch := len(segments) > 0 && segments[0] == "watch"
	if watch {
		segments = segments[1:]
	}
	if len(segments) >= 3 && segments[0] == "namespaces" && !namespaceSubresource(segments[2]) {
		i.Namespace, segments = segments[1], segments[2:]
	}
	// What is behind a proxy has paths of its own.
	if len(segments) == 0 || len(segments) > 3 && segments[2] != "proxy" {
		return nil, status.NewUnknownPath()
	}
	i.Resource = table.Resource(group, version, segments[0])
	if i.Resource == nil || (i.Namespace != "" && !i.Namespaced) {
		return nil, status.NewUnknownPath()
	}
	if len(segments) > 1 {
		if i.Namespaced && i.Namespace == "" {
			return nil, status.NewUnknownPath()
		}
		i.Name = segments[1]
	}
	if created := len(i.Verbs) == 1 && i.HasVerb("create"); created && (i.Name != "" || i.Namespaced && i.Namespace == "") {
		return nil, status.NewUnknownPath() // a question has no name, and its place
	}
	if len(segments) > 2 {
		i.Subresource = segments[2]
		i.sub = i.Resource.Subresource(i.Subresource)
		switch {
		case i.sub == nil && i.Custom != nil && !watch:
			return nil, status.NewNotFound(status.GroupResource{Group: group, Resource: i.Plural}, i.Name)
		case i.sub == nil || watch:
			return nil, status.NewUnknownPath()
		}
	}
	if err := i.setVerb(r, watch); err != nil {
		return nil, err
	}
	// A watch of such a name waits for what cannot come.
	if wrong := syntax.PathSegment(i.Name); wrong != nil && !watch {
		return nil, status.NewBadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", i.Name, strings.Join(wrong, ";")))
	}
	return &i, nil
}

// setVerb finds the verb that a method is on the target.
func (i *info) setVerb(r *http.Request, watch bool) error {
	served := i.HasVerb
	switch {
	case watch:
		i.verb = map[string]string{http.MethodGet: "watch"}[r.Method]
	case i.sub != nil:
		i.verb, served = subVerbs[r.Method], i.sub.HasVerb
		if i.Subresource == "proxy" && (r.Method == http.MethodHead || r.Method == http.MethodOptions) {
			i.verb = "get"
		}
	case i.Name != "":
		i.verb = namedVerbs[r.Method]
	default:
		i.verb = collectionVerbs[r.Method]
		if i.verb == "list" && boolParam(r.URL.Query(), "watch") {
			i.verb = "watch"
		}
		// Across all namespaces there is only reading.
		if i.Namespaced && i.Namespace == "" && r.Method != http.MethodGet && !i.Virtual {
			if i.Custom != nil {
				return status.NewUnknownPath()
			}
			i.verb = ""
		}
	}
	if i.verb == "" || !served(i.verb) {
		return status.NewMethodNotAllowed()
	}
	return nil
}

// namespaceSubresource says whether /namespaces/NAME/word is a subresource of
// the namespace rather than a resource in it.
func namespaceSubresource(word string) bool { return word == "status" || word == "finalize" }

// split returns the segments of a path. Slashes at its end do not count; others
// make empty segments, which nothing is called.
func split(path string) []string {
	path = strings.TrimRight(strings.TrimPrefix(path, "/"), "/")
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}
