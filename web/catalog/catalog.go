// Package catalog has the resource types of a cluster, as its discovery documents list them, and
// completes the paths of requests.
//
// Invariants: it is plain data and makes no requests; its user fetches the documents. Nothing about
// built-in types is known beforehand, so custom resources are completed like pods.
//
// Reading a discovery document costs its size; completing a path costs a look at every resource type.
package catalog

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/web/apipath"
)

// A Resource is one resource type.
type Resource struct {
	Group, Version string
	Plural, Kind   string
	Namespaced     bool
	Verbs          []string
	ShortNames     []string
	Subresources   []string
}

// APIVersion returns the resource's group and version as objects carry it.
func (r *Resource) APIVersion() string {
	if r.Group == "" {
		return r.Version
	}
	return r.Group + "/" + r.Version
}

// ID names the resource as the shared selection does: "deployments.apps".
func (r *Resource) ID() string { return apipath.GroupResource(r.Group, r.Plural) }

// Can reports whether discovery lists the verb.
func (r *Resource) Can(verb string) bool { return slices.Contains(r.Verbs, verb) }

// Collection returns the path of the resource's collection: in a namespace, or over
// all of them when namespace is empty.
func (r *Resource) Collection(namespace string) string {
	p := "/apis/" + r.Group + "/" + r.Version
	if r.Group == "" {
		p = "/api/" + r.Version
	}
	if r.Namespaced && namespace != "" {
		p += "/namespaces/" + url.PathEscape(namespace)
	}
	return p + "/" + r.Plural
}

// Object returns the path of one object.
func (r *Resource) Object(namespace, name string) string {
	return r.Collection(namespace) + "/" + url.PathEscape(name)
}

// A Catalog holds the resource types of one cluster. The zero value is empty
// and ready.
type Catalog struct {
	resources []*Resource
	versions  map[string][]string // by group, preferred first
	groups    []string
}

// AddVersions takes the answer of /api or /apis and returns the paths of the
// documents to ask for next.
func (c *Catalog) AddVersions(body string) (paths []string, err error) {
	var doc struct {
		Versions []string `json:"versions"`
		Groups   []struct {
			Name     string `json:"name"`
			Versions []struct {
				Version string `json:"version"`
			} `json:"versions"`
		} `json:"groups"`
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		return nil, err
	}
	for _, v := range doc.Versions {
		c.version("", v)
		paths = append(paths, "/api/"+v)
	}
	for _, g := range doc.Groups {
		for _, v := range g.Versions {
			c.version(g.Name, v.Version)
			paths = append(paths, "/apis/"+g.Name+"/"+v.Version)
		}
	}
	return paths, nil
}

func (c *Catalog) version(group, version string) {
	if c.versions == nil {
		c.versions = map[string][]string{}
	}
	if _, known := c.versions[group]; !known {
		c.groups = append(c.groups, group)
	}
	if !slices.Contains(c.versions[group], version) {
		c.versions[group] = append(c.versions[group], version)
	}
}

// AddResources takes an APIResourceList.
func (c *Catalog) AddResources(body string) error {
	var doc struct {
		GroupVersion string `json:"groupVersion"`
		Resources    []struct {
			Name       string   `json:"name"`
			Kind       string   `json:"kind"`
			Namespaced bool     `json:"namespaced"`
			Verbs      []string `json:"verbs"`
			ShortNames []string `json:"shortNames"`
		} `json:"resources"`
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		return err
	}
	group, version, has := strings.Cut(doc.GroupVersion, "/")
	if !has {
		group, version = "", doc.GroupVersion
	}
	c.version(group, version)
	for _, r := range doc.Resources {
		if plural, sub, is := strings.Cut(r.Name, "/"); is {
			if parent := c.Resource(group, version, plural); parent != nil && !slices.Contains(parent.Subresources, sub) {
				parent.Subresources = append(parent.Subresources, sub)
			}
			continue
		}
		if c.Resource(group, version, r.Name) != nil {
			continue
		}
		c.resources = append(c.resources, &Resource{
			Group: group, Version: version, Plural: r.Name, Kind: r.Kind, Namespaced: r.Namespaced,
			Verbs: r.Verbs, ShortNames: r.ShortNames,
		})
	}
	return nil
}

// Resource returns the type of that plural name, or nil.
func (c *Catalog) Resource(group, version, plural string) *Resource {
	for _, r := range c.resources {
		if r.Plural == plural && r.Group == group && r.Version == version {
			return r
		}
	}
	return nil
}

// Kind returns the type that objects of that apiVersion and kind belong to.
func (c *Catalog) Kind(apiVersion, kind string) *Resource {
	for _, r := range c.resources {
		if r.Kind == kind && r.APIVersion() == apiVersion {
			return r
		}
	}
	return nil
}

// ByID returns the type of that ID, in its group's preferred version.
func (c *Catalog) ByID(id string) *Resource {
	for _, r := range c.Preferred() {
		if r.ID() == id {
			return r
		}
	}
	return nil
}

// Preferred returns all types that can be listed, each in the first version of its
// group that has it, in the order of discovery.
func (c *Catalog) Preferred() []*Resource {
	seen := map[string]bool{}
	var out []*Resource
	for _, g := range c.groups {
		for _, v := range c.versions[g] {
			for _, r := range c.resources {
				if r.Group == g && r.Version == v && r.Can("list") && !seen[r.ID()] {
					seen[r.ID()] = true
					out = append(out, r)
				}
			}
		}
	}
	return out
}

// Empty reports whether nothing has been fed in.
func (c *Catalog) Empty() bool { return len(c.resources) == 0 }

// Named returns the type with that name: its plural, its kind in any case, a short name, or any of these with a group
// ("deploy.apps"), or nil.
func (c *Catalog) Named(name string) *Resource {
	name, group, grouped := strings.Cut(strings.ToLower(name), ".")
	for _, r := range c.Preferred() {
		if grouped && r.Group != group {
			continue
		}
		if r.Plural == name || strings.ToLower(r.Kind) == name || slices.Contains(r.ShortNames, name) {
			return r
		}
	}
	return nil
}
