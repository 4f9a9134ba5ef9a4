// Package apipath reads the paths of requests as the API server does, and names what they are
// about as the panels do.
package apipath

import "strings"

// A Path is that of a request for a resource.
type Path struct {
	Group, Version, Namespace, Resource, Name, Subresource string
	// Watch says that the path has the deprecated prefix watch/.
	Watch bool
	// Before is how many segments come before the resource.
	Before int
}

// Parse reads a path. It reports false if that cannot be one of a resource; where its segment is
// empty, so is the Resource.
func Parse(path string) (Path, bool) {
	var p Path
	all := strings.Split(strings.Trim(path, "/"), "/")
	rest := all
	switch {
	case len(rest) >= 3 && rest[0] == "api":
		p.Version, rest = rest[1], rest[2:]
	case len(rest) >= 4 && rest[0] == "apis":
		p.Group, p.Version, rest = rest[1], rest[2], rest[3:]
	default:
		return Path{}, false
	}
	if rest[0] == "watch" && len(rest) > 1 {
		p.Watch, rest = true, rest[1:]
	}
	// "namespaces/x" alone is the namespace itself, with more behind it a scope;
	// but its own subresources are not resources in it.
	if rest[0] == "namespaces" && len(rest) > 2 && rest[2] != "status" && rest[2] != "finalize" {
		p.Namespace, rest = rest[1], rest[2:]
	}
	p.Resource, p.Before = rest[0], len(all)-len(rest)
	if len(rest) > 1 {
		p.Name = rest[1]
	}
	if len(rest) > 2 {
		p.Subresource = strings.Join(rest[2:], "/")
	}
	return p, true
}

// GroupResource names a resource: pods, deployments.apps.
func GroupResource(group, resource string) string {
	if group == "" {
		return resource
	}
	return resource + "." + group
}

// ObjectRef names an object in a data-ref attribute: obj-pods/default/web,
// obj-deployments.apps/default/web, obj-nodes/_/a.
func ObjectRef(group, resource, namespace, name string) string {
	if namespace == "" {
		namespace = "_"
	}
	return "obj-" + GroupResource(group, resource) + "/" + namespace + "/" + name
}
