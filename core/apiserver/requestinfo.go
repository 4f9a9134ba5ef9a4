package apiserver

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// info identifies the resource, object and verb of a request.
type info struct {
	registry.Target
	// sub is the subresource; nil for the object or collection itself.
	sub  *schema.Subresource
	view view
	verb string
}

// The verbs of HTTP methods, for collections and for named objects.
var (
	collectionVerbs = map[string]string{http.MethodGet: "list", http.MethodPost: "create",
		http.MethodDelete: "deletecollection"}
	namedVerbs = map[string]string{http.MethodGet: "get", http.MethodPut: "update", http.MethodPatch: "patch",
		http.MethodDelete: "delete"}
	subVerbs = map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update",
		http.MethodPatch: "patch", http.MethodDelete: "delete"}
)

// namesNothing reports whether a path ends where its old form names what is watched, or what is connected to.
func namesNothing(segments []string) bool {
	last := len(segments) - 1
	return (last == 2 && segments[0] == "api" || last == 3 && segments[0] == "apis") &&
		(segments[last] == "watch" || segments[last] == "proxy")
}

// resolve returns the resource and the verb of a path below a group version. The path has the
// segments after the group version. It returns the 404 and 405 of the real server.
func resolve(table *schema.Table, group, version string, segments []string, r *http.Request) (*info, error) {
	var i info
	watch := len(segments) > 0 && segments[0] == "watch"
	if watch {
		segments = segments[1:]
	}
	placed := len(segments) >= 3 && segments[0] == "namespaces" && !namespaceSubresource(segments[2])
	if placed {
		i.Namespace, segments = segments[1], segments[2:]
	}
	if len(segments) == 0 {
		return nil, status.NewUnknownPath()
	}
	i.Resource = table.Resource(group, version, segments[0])
	if i.Resource == nil || i.Namespace != "" && !i.Namespaced {
		return nil, status.NewUnknownPath()
	}
	if len(segments) > 1 {
		i.Name = segments[1]
	}
	if i.Custom != nil {
		return i.custom(r, segments, watch)
	}
	// Paths after a proxy are arbitrary. A namespace may be empty, a name may not, unless the path
	// allows it.
	empty := i.Namespaced && i.Namespace == ""
	switch {
	case len(segments) > 3 && segments[2] != "proxy",
		len(segments) > 1 && empty && !placed,
		len(segments) == 2 && i.Name == "",
		placed && !i.Namespaced:
		return nil, status.NewUnknownPath()
	}
	if created := len(i.Verbs) == 1 && i.HasVerb("create"); created &&
		(i.Name != "" || i.Namespaced && i.Namespace == "") {
		return nil, status.NewUnknownPath() // a review has no name, and its position
	}
	if len(segments) > 2 {
		i.Subresource = segments[2]
		i.sub = i.Resource.Subresource(i.Subresource)
		if i.sub == nil || watch {
			return nil, status.NewUnknownPath()
		}
	}
	if err := i.setVerb(r, watch); err != nil {
		return nil, err
	}
	switch {
	case len(segments) > 1 && empty:
		return nil, status.NewBadRequest("Namespace parameter required.")
	case len(segments) > 2 && i.Name == "":
		return nil, noName()
	}
	// A watch of such a name waits for something that cannot come.
	if wrong := syntax.PathSegment(i.Name); wrong != nil && !watch {
		return nil, status.NewBadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", i.Name, strings.Join(wrong, ";")))
	}
	return &i, nil
}

func noName() error { return status.NewBadRequest("name must be provided") }

// custom returns the verb of a method on a custom resource. The real server has no routes there:
// anything after the subresource is ignored, as is the name of what is created; and HEAD reads.
func (i *info) custom(r *http.Request, segments []string, watch bool) (*info, error) {
	i.verb = authorizationVerbs[r.Method]
	switch {
	case watch:
		i.verb = "watch"
	case i.Name == "" && i.verb == "get":
		if i.verb = "list"; boolParam(queryWith(r, "watch"), "watch") {
			i.verb = "watch"
		}
	case i.Name == "" && i.verb == "delete":
		i.verb = "deletecollection"
	}
	if i.Namespaced && i.Namespace == "" && i.verb != "list" && i.verb != "watch" {
		return nil, status.NewUnknownPath()
	}
	served := i.HasVerb
	if len(segments) > 2 && !watch {
		i.Subresource = segments[2]
		if i.sub = i.Resource.Subresource(i.Subresource); i.sub == nil {
			return nil, status.NewNotFound(i.GroupResource(), i.Name)
		}
		served = i.sub.HasVerb
	}
	switch {
	case !served(i.verb):
		return nil, i.unsupported()
	case i.verb == "create":
		i.Name = ""
	case i.Name == "" && (i.verb == "update" || i.verb == "patch"):
		return nil, noName()
	}
	return i, nil
}

// unsupported is the error for a verb that the type does not have.
func (i *info) unsupported() error {
	e := status.NewMethodNotAllowed()
	e.Status.Message = fmt.Sprintf("%s is not supported on resources of kind %q", i.verb, i.Resource.GroupResource())
	e.Status.Details = &status.Details{Group: i.Group, Kind: i.Plural}
	return e
}

// setVerb sets the verb of a method on the target.
func (i *info) setVerb(r *http.Request, watch bool) error {
	served := i.HasVerb
	switch {
	case watch && !served("watch"):
		return status.NewUnknownPath()
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
		if i.verb == "list" && boolParam(queryWith(r, "watch"), "watch") {
			if i.verb = "watch"; !served("watch") && served("list") {
				return nil // the handler of lists refuses it
			}
		}
		// Across all namespaces there are only reads.
		if i.Namespaced && i.Namespace == "" && r.Method != http.MethodGet && !i.Virtual {
			i.verb = ""
		}
	}
	if i.verb == "" || !served(i.verb) {
		return status.NewMethodNotAllowed()
	}
	return nil
}

// namespaceSubresource reports whether /namespaces/NAME/word is a subresource of the namespace
// rather than a resource in it.
func namespaceSubresource(word string) bool { return word == "status" || word == "finalize" }

// split appends the segments of a path. Slashes at its end are ignored; others make empty segments, which match no
// name.
func split(segments []string, path string) []string {
	path = strings.TrimRight(strings.TrimPrefix(path, "/"), "/")
	for more := path != ""; more; {
		var segment string
		segment, path, more = strings.Cut(path, "/")
		segments = append(segments, segment)
	}
	return segments
}
