package catalog

import (
	"slices"
	"strings"
)

// An Option is one way to continue with a path.
type Option struct {
	Value string // the whole path with it
	Label string // the piece that it adds
	Note  string // what it is, in a few words
	// More says that something has to follow, so the next options should be shown.
	More bool
}

// Known is what is known of the cluster, for completion.
type Known struct {
	Namespaces []string
	// Names are the known names of a resource's objects in a namespace.
	Names func(resourceID, namespace string) []string
	// Revision and Token are the newest resourceVersion and continue token seen.
	Revision, Token string
}

// maxOptions is how many options are worth showing.
const maxOptions = 60

// Complete offers what can follow a path as it is written so far.
func (c *Catalog) Complete(method, path string, k Known) []Option {
	if head, query, has := strings.Cut(path, "?"); has {
		return c.query(method, head, query, k)
	}
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return match("", path, []Option{{Label: "/api/v1", More: true}, {Label: "/apis", More: true}})
	}
	base, typed := path[:i+1], path[i+1:]
	p := strings.Split(strings.Trim(base, "/"), "/")
	if p[0] == "" {
		return match("/", typed, []Option{
			{Label: "api/v1/", Note: "the core group", More: true}, {Label: "apis/", Note: "all other groups", More: true},
			{Label: "version"}, {Label: "healthz"}, {Label: "livez"}, {Label: "readyz"},
		})
	}
	var group, version string
	switch {
	case p[0] == "api" && len(p) == 1:
		return match(base, typed, c.list(c.versions[""], ""))
	case p[0] == "api":
		version, p = p[1], p[2:]
	case p[0] == "apis" && len(p) == 1:
		var out []Option
		for _, g := range c.groups {
			if g != "" {
				out = append(out, Option{Label: g + "/" + c.versions[g][0] + "/", More: true})
			}
		}
		return match(base, typed, out)
	case p[0] == "apis" && len(p) == 2:
		return match(base, typed, c.list(c.versions[p[1]], ""))
	case p[0] == "apis":
		group, version, p = p[1], p[2], p[3:]
	default:
		return nil
	}
	namespace := ""
	if len(p) >= 2 && p[0] == "namespaces" {
		namespace, p = p[1], p[2:]
	}
	switch len(p) {
	case 0:
		var out []Option
		if namespace == "" && c.namespacedIn(group, version) {
			out = append(out, Option{Label: "namespaces/", Note: "in one namespace", More: true})
		}
		for _, r := range c.resources {
			if r.Group == group && r.Version == version && (namespace == "" || r.Namespaced) {
				out = append(out, Option{Label: r.Plural, Note: r.Kind})
			}
		}
		if namespace != "" && group == "" {
			out = append(out, Option{Label: "finalize", Note: "subresource"}, Option{Label: "status", Note: "subresource"})
		}
		return match(base, typed, out)
	case 1:
		if p[0] == "namespaces" {
			return match(base, typed, c.list(k.Namespaces, "/"))
		}
		r := c.Resource(group, version, p[0])
		if r == nil || k.Names == nil {
			return nil
		}
		return match(base, typed, c.list(k.Names(r.ID(), namespace), ""))
	case 2:
		if r := c.Resource(group, version, p[0]); r != nil {
			var out []Option
			for _, s := range r.Subresources {
				out = append(out, Option{Label: s, Note: "subresource"})
			}
			return match(base, typed, out)
		}
	}
	return nil
}

// list makes options of names.
func (c *Catalog) list(names []string, tail string) []Option {
	out := make([]Option, 0, len(names))
	for _, n := range names {
		out = append(out, Option{Label: n + tail, More: tail != ""})
	}
	return out
}

func (c *Catalog) namespacedIn(group, version string) bool {
	for _, r := range c.resources {
		if r.Group == group && r.Version == version && r.Namespaced {
			return true
		}
	}
	return false
}

// match keeps the options that continue from what is typed, those that contain it
// after those that begin with it.
func match(base, typed string, options []Option) []Option {
	var first, later []Option
	typed = strings.ToLower(typed)
	for _, o := range options {
		o.Value = base + o.Label
		switch label := strings.ToLower(o.Label); {
		case label == typed:
		case strings.HasPrefix(label, typed):
			first = append(first, o)
		case strings.Contains(label, typed):
			later = append(later, o)
		}
	}
	first = append(first, later...)
	return first[:min(len(first), maxOptions)]
}

// parameters of the verbs, by method. A label without "=" at its end is whole.
var (
	getParameters = []Option{
		{Label: "limit=500", Note: "page size"},
		{Label: "continue=", Note: "the next page"},
		{Label: "watch=1", Note: "stream of changes"},
		{Label: "resourceVersion=", Note: "from, at, or not older than"},
		{Label: "resourceVersionMatch=Exact", Note: "that very revision"},
		{Label: "resourceVersionMatch=NotOlderThan", Note: "that revision or a newer one"},
		{Label: "allowWatchBookmarks=true", Note: "BOOKMARK events"},
		{Label: "sendInitialEvents=true", Note: "streaming list"},
		{Label: "timeoutSeconds=", Note: "end the watch after"},
		{Label: "labelSelector=", Note: "app=web,tier!=db"},
		{Label: "fieldSelector=", Note: "metadata.name=web"},
		{Label: "pretty=true", Note: "indented by the server"},
	}
	writeParameters = []Option{
		{Label: "fieldManager=", Note: "who writes"},
		{Label: "fieldValidation=Strict", Note: "refuse unknown fields"},
		{Label: "fieldValidation=Warn"},
		{Label: "fieldValidation=Ignore"},
		{Label: "dryRun=All", Note: "do all but store it"},
		{Label: "pretty=true", Note: "indented by the server"},
	}
	// A patch has this besides, if it is an apply.
	forceParameter   = Option{Label: "force=true", Note: "apply: take fields from other managers"}
	deleteParameters = []Option{
		{Label: "gracePeriodSeconds=0"},
		{Label: "propagationPolicy=Background"},
		{Label: "propagationPolicy=Foreground"},
		{Label: "propagationPolicy=Orphan"},
		{Label: "labelSelector=", Note: "of a collection"},
		{Label: "fieldSelector=", Note: "of a collection"},
		{Label: "dryRun=All", Note: "do all but store it"},
	}
)

func (c *Catalog) query(method, head, query string, k Known) []Option {
	i := strings.LastIndexByte(query, '&')
	base, typed := head+"?"+query[:i+1], query[i+1:]
	if name, value, has := strings.Cut(typed, "="); has {
		fill := map[string]string{"resourceVersion": k.Revision, "continue": k.Token}[name]
		if fill == "" {
			return nil
		}
		return match(base+name+"=", value, []Option{{Label: fill, Note: "the newest seen"}})
	}
	params := writeParameters
	switch method {
	case "GET":
		params = getParameters
	case "DELETE":
		params = deleteParameters
	case "PATCH":
		params = append(slices.Clip(writeParameters), forceParameter)
	}
	var out []Option
	for _, o := range params {
		name, value, _ := strings.Cut(o.Label, "=")
		if strings.Contains("&"+query[:i+1], "&"+name+"=") {
			continue
		}
		o.More = value == ""
		out = append(out, o)
	}
	return match(base, typed, out)
}
