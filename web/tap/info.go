package tap

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
	Path                             string
	Query                            url.Values
	// Before are the segments of the path before the resource, Old says that it is a watch by the deprecated prefix
	// /watch.
	Before int
	Old    bool
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
	info := Info{Verb: strings.ToLower(method), Path: target}
	u, err := url.Parse(target)
	if err != nil {
		return info
	}
	info.Path, info.Query = u.Path, u.Query()
	p, ok := apipath.Parse(u.Path)
	if !ok {
		return info
	}
	info.Group, info.Version, info.Namespace, info.Resource = p.Group, p.Version, p.Namespace, p.Resource
	info.Name, info.Subresource, info.Before, info.Old = p.Name, p.Subresource, p.Before, p.Watch
	watch := p.Watch || info.Truthy("watch")
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

// Truthy reads a boolean parameter as the API server does: there and not false.
func (i Info) Truthy(name string) bool {
	v, there := i.Query[name]
	return there && v[0] != "0" && !strings.EqualFold(v[0], "false")
}

// ParseTarget reads the URL of a GET. It reports false for what is not a request for a resource.
func ParseTarget(raw string) (Info, bool) {
	i := Classify("GET", raw)
	return i, i.Resource != ""
}

// Collection returns the path of the whole collection, without "watch/" and query.
func (i Info) Collection() string {
	var b strings.Builder
	if i.Group == "" {
		b.WriteString("/api/")
	} else {
		b.WriteString("/apis/" + i.Group + "/")
	}
	b.WriteString(i.Version + "/")
	if i.Namespace != "" {
		b.WriteString("namespaces/" + i.Namespace + "/")
	}
	b.WriteString(i.Resource)
	return b.String()
}

// Short returns the collection in few characters, for a label.
func (i Info) Short() string {
	s := i.Resource
	if i.Namespace != "" {
		s = i.Namespace + "/" + s
	}
	if i.Name != "" {
		s += "/" + i.Name
	}
	return s
}

// Same reports whether two requests are for the same objects.
func (i Info) Same(o Info) bool {
	return i.Collection() == o.Collection() && i.Name == o.Name && i.Selectors() == o.Selectors()
}

// selectors are the parameters that narrow a collection.
var selectors = [...]string{"labelSelector", "fieldSelector"}

// Selectors returns what narrows the collection, for a label; empty if nothing does.
func (i Info) Selectors() string {
	var parts []string
	for _, k := range selectors {
		if v := i.Query.Get(k); v != "" {
			parts = append(parts, v)
		}
	}
	return strings.Join(parts, " ")
}

// With returns the collection's URL with these parameters beside its selectors.
func (i Info) With(params ...string) string {
	q := url.Values{}
	for _, k := range selectors {
		if v := i.Query.Get(k); v != "" {
			q.Set(k, v)
		}
	}
	for n := 0; n+1 < len(params); n += 2 {
		if params[n+1] != "" {
			q.Set(params[n], params[n+1])
		}
	}
	if len(q) == 0 {
		return i.Collection()
	}
	return i.Collection() + "?" + q.Encode()
}

// Holds reports whether an object lies in the collection.
func (i Info) Holds(group, resource, namespace, name string) bool {
	return resource == i.Resource && group == i.Group && (i.Namespace == "" || i.Namespace == namespace) &&
		(i.Name == "" || i.Name == name)
}
