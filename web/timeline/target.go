package timeline

import (
	"net/url"
	"strings"

	"github.com/tabernetes/tabernetes/web/apipath"
)

// A Target is the part of an API request's URL that the panels go by.
type Target struct {
	Group, Version, Resource, Namespace, Name, Subresource string
	Watch                                                  bool // a path or a parameter asks for a stream
	Query                                                  url.Values
	Path                                                   string
}

// ParseTarget reads a URL as the API server does. It reports false for what is
// not a request for a resource.
func ParseTarget(raw string) (Target, bool) {
	u, err := url.Parse(raw)
	if err != nil {
		return Target{}, false
	}
	p, ok := apipath.Parse(u.Path)
	if !ok || p.Resource == "" {
		return Target{}, false
	}
	t := Target{Group: p.Group, Version: p.Version, Resource: p.Resource, Namespace: p.Namespace, Name: p.Name,
		Subresource: p.Subresource, Watch: p.Watch, Query: u.Query(), Path: u.Path}
	// As in the API's own query decoding, anything but a clear no is a yes. On a
	// named object the parameter is ignored.
	if w, ok := t.Query["watch"]; ok && t.Name == "" && len(w) > 0 && w[0] != "0" && !strings.EqualFold(w[0], "false") {
		t.Watch = true
	}
	return t, true
}

// Collection returns the path of the whole collection, without "watch/" and query.
func (t Target) Collection() string {
	var b strings.Builder
	if t.Group == "" {
		b.WriteString("/api/")
	} else {
		b.WriteString("/apis/" + t.Group + "/")
	}
	b.WriteString(t.Version + "/")
	if t.Namespace != "" {
		b.WriteString("namespaces/" + t.Namespace + "/")
	}
	b.WriteString(t.Resource)
	return b.String()
}

// Short returns the collection in few characters, for a label.
func (t Target) Short() string {
	s := t.Resource
	if t.Namespace != "" {
		s = t.Namespace + "/" + s
	}
	if t.Name != "" {
		s += "/" + t.Name
	}
	return s
}

// Same reports whether two requests are for the same objects.
func (t Target) Same(o Target) bool {
	return t.Collection() == o.Collection() && t.Name == o.Name && t.Selectors() == o.Selectors()
}

// Selectors returns what narrows the collection, for a label; empty if nothing does.
func (t Target) Selectors() string {
	var parts []string
	for _, k := range [...]string{"labelSelector", "fieldSelector"} {
		if v := t.Query.Get(k); v != "" {
			parts = append(parts, v)
		}
	}
	return strings.Join(parts, " ")
}

// With returns the collection's URL with these parameters beside its selectors.
func (t Target) With(params ...string) string {
	q := url.Values{}
	for _, k := range [...]string{"labelSelector", "fieldSelector"} {
		if v := t.Query.Get(k); v != "" {
			q.Set(k, v)
		}
	}
	for i := 0; i+1 < len(params); i += 2 {
		if params[i+1] != "" {
			q.Set(params[i], params[i+1])
		}
	}
	if len(q) == 0 {
		return t.Collection()
	}
	return t.Collection() + "?" + q.Encode()
}

// Holds reports whether an object lies in the collection.
func (t Target) Holds(o Object) bool {
	return o.Resource == t.Resource && o.Group == t.Group &&
		(t.Namespace == "" || t.Namespace == o.Namespace) && (t.Name == "" || t.Name == o.Name)
}
