package timeline

import (
	"net/url"
	"strings"
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
	t := Target{Path: u.Path, Query: u.Query()}
	p := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch {
	case len(p) >= 3 && p[0] == "api":
		t.Version, p = p[1], p[2:]
	case len(p) >= 4 && p[0] == "apis":
		t.Group, t.Version, p = p[1], p[2], p[3:]
	default:
		return Target{}, false
	}
	if p[0] == "watch" && len(p) > 1 {
		t.Watch, p = true, p[1:]
	}
	// "namespaces/x" alone is the namespace itself, with more behind it a scope;
	// but its own subresources are not resources in it.
	if p[0] == "namespaces" && len(p) > 2 && p[2] != "status" && p[2] != "finalize" {
		t.Namespace, p = p[1], p[2:]
	}
	t.Resource = p[0]
	if len(p) > 1 {
		t.Name = p[1]
	}
	if len(p) > 2 {
		t.Subresource = strings.Join(p[2:], "/")
	}
	// As in the API's own query decoding, anything but a clear no is a yes. On a
	// named object the parameter is ignored.
	if w, ok := t.Query["watch"]; ok && t.Name == "" && len(w) > 0 && w[0] != "0" && !strings.EqualFold(w[0], "false") {
		t.Watch = true
	}
	return t, t.Resource != ""
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
