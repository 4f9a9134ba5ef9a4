package history

import (
	"net/url"
	"strings"

	"github.com/tabernetes/tabernetes/web/apipath"
)

// Info is what an API request asks for, as in the API server's own RequestInfo. The zero Resource means that the path
// is not that of a resource.
type Info struct {
	// get, list, watch, create, update, patch, delete, deletecollection; otherwise the method in lower case
	Verb                             string
	Group, Version                   string
	Resource, Subresource, Namespace string
	Name                             string
	Query                            url.Values

	before int  // segments of the path before the resource
	old    bool // a watch by the deprecated prefix /watch
}

// GroupResource names the resource as the shared selection does:
// "pods", "deployments.apps".
func (i Info) GroupResource() string { return apipath.GroupResource(i.Group, i.Resource) }

// Ref names the object in the shared selection, if the request is about one.
func (i Info) Ref() string {
	if i.Resource == "" || i.Name == "" {
		return ""
	}
	return apipath.ObjectRef(i.Group, i.Resource, i.Namespace, i.Name)
}

// Classify reads a method and a URL.
func Classify(method, target string) Info {
	info := Info{Verb: strings.ToLower(method)}
	u, err := url.Parse(target)
	if err != nil {
		return info
	}
	info.Query = u.Query()
	p, ok := apipath.Parse(u.Path)
	if !ok {
		return info
	}
	info.Group, info.Version, info.Namespace, info.Resource = p.Group, p.Version, p.Namespace, p.Resource
	info.Name, info.Subresource, info.before, info.old = p.Name, p.Subresource, p.Before, p.Watch
	watch := p.Watch || truthy(info.Query, "watch")
	switch method {
	case "GET", "HEAD":
		switch {
		case watch && (info.Name == "" || p.Watch):
			info.Verb = "watch"
		case info.Name == "":
			info.Verb = "list"
		default:
			info.Verb = "get"
		}
	case "POST":
		info.Verb = "create"
	case "PUT":
		info.Verb = "update"
	case "PATCH":
		info.Verb = "patch"
	case "DELETE":
		info.Verb = "delete"
		if info.Name == "" {
			info.Verb = "deletecollection"
		}
	}
	return info
}

// truthy reads a boolean parameter as the API server does: there and not false.
func truthy(q url.Values, name string) bool {
	v, there := q[name]
	if !there {
		return false
	}
	switch strings.ToLower(v[0]) {
	case "0", "false":
		return false
	}
	return true
}
