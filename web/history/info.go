package history

import (
	"net/url"
	"strings"
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
func (i Info) GroupResource() string {
	if i.Group == "" {
		return i.Resource
	}
	return i.Resource + "." + i.Group
}

// Ref names the object in the shared selection, if the request is about one.
func (i Info) Ref() string {
	if i.Resource == "" || i.Name == "" {
		return ""
	}
	ns := i.Namespace
	if ns == "" {
		ns = "_"
	}
	return "obj-" + i.GroupResource() + "/" + ns + "/" + i.Name
}

// Classify reads a method and a URL.
func Classify(method, target string) Info {
	info := Info{Verb: strings.ToLower(method)}
	u, err := url.Parse(target)
	if err != nil {
		return info
	}
	info.Query = u.Query()
	p := strings.Split(strings.Trim(u.Path, "/"), "/")
	all := len(p)
	switch {
	case len(p) >= 3 && p[0] == "api":
		info.Version, p = p[1], p[2:]
	case len(p) >= 4 && p[0] == "apis":
		info.Group, info.Version, p = p[1], p[2], p[3:]
	default:
		return info
	}
	old := p[0] == "watch" && len(p) > 1 // the deprecated prefix
	if old {
		p, info.old = p[1:], true
	}
	if p[0] == "namespaces" && len(p) > 2 && p[2] != "status" && p[2] != "finalize" {
		info.Namespace, p = p[1], p[2:]
	}
	info.Resource, info.before = p[0], all-len(p)
	if len(p) > 1 {
		info.Name = p[1]
	}
	if len(p) > 2 {
		info.Subresource = strings.Join(p[2:], "/")
	}
	watch := old || truthy(info.Query, "watch")
	switch method {
	case "GET", "HEAD":
		switch {
		case watch && (info.Name == "" || old):
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
