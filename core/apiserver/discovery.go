package apiserver

import (
	"net/http"
	"runtime"
	"slices"

	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Version is the document at /version.
type Version struct {
	Major                 string `json:"major"`
	Minor                 string `json:"minor"`
	EmulationMajor        string `json:"emulationMajor"`
	EmulationMinor        string `json:"emulationMinor"`
	MinCompatibilityMajor string `json:"minCompatibilityMajor"`
	MinCompatibilityMinor string `json:"minCompatibilityMinor"`
	GitVersion            string `json:"gitVersion"`
	GitCommit             string `json:"gitCommit"`
	GitTreeState          string `json:"gitTreeState"`
	BuildDate             string `json:"buildDate"`
	GoVersion             string `json:"goVersion"`
	Compiler              string `json:"compiler"`
	Platform              string `json:"platform"`
}

// NewVersion returns the version of the Kubernetes release whose behaviour the server has, with a
// build suffix (semver build metadata) that identifies the server.
func NewVersion(build string) Version {
	v := Version{
		Major: "1", Minor: "36", EmulationMajor: "1", EmulationMinor: "36",
		MinCompatibilityMajor: "1", MinCompatibilityMinor: "35",
		GitVersion: "v1.36.3", GitTreeState: "clean", BuildDate: "1970-01-01T00:00:00Z",
		GoVersion: runtime.Version(), Compiler: runtime.Compiler, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if build != "" {
		v.GitVersion += "+" + build
	}
	return v
}

type apiVersions struct {
	Kind          string          `json:"kind"`
	Versions      []string        `json:"versions"`
	ServerAddress []serverAddress `json:"serverAddressByClientCIDRs"`
}

type serverAddress struct {
	ClientCIDR    string `json:"clientCIDR"`
	ServerAddress string `json:"serverAddress"`
}

type groupVersion struct {
	GroupVersion string `json:"groupVersion"`
	Version      string `json:"version"`
}

type apiGroup struct {
	Kind             string         `json:"kind,omitempty"`
	APIVersion       string         `json:"apiVersion,omitempty"`
	Name             string         `json:"name"`
	Versions         []groupVersion `json:"versions"`
	PreferredVersion groupVersion   `json:"preferredVersion"`
}

type apiGroupList struct {
	Kind       string     `json:"kind"`
	APIVersion string     `json:"apiVersion"`
	Groups     []apiGroup `json:"groups"`
}

type apiResource struct {
	Name               string   `json:"name"`
	SingularName       string   `json:"singularName"`
	Namespaced         bool     `json:"namespaced"`
	Group              string   `json:"group,omitempty"`
	Version            string   `json:"version,omitempty"`
	Kind               string   `json:"kind"`
	Verbs              []string `json:"verbs"`
	ShortNames         []string `json:"shortNames,omitempty"`
	Categories         []string `json:"categories,omitempty"`
	StorageVersionHash string   `json:"storageVersionHash,omitempty"`
}

type apiResourceList struct {
	Kind         string        `json:"kind"`
	APIVersion   string        `json:"apiVersion,omitempty"`
	GroupVersion string        `json:"groupVersion"`
	Resources    []apiResource `json:"resources"`
}

// legacyVersions returns the document at /api.
func legacyVersions(t *schema.Table, r *http.Request) apiVersions {
	core, _ := t.Group("")
	return apiVersions{
		Kind: "APIVersions", Versions: core.Versions,
		ServerAddress: []serverAddress{{ClientCIDR: "0.0.0.0/0", ServerAddress: r.Host}},
	}
}

// groupList returns the document at /apis.
func (s *Server) groupList() apiGroupList {
	list := apiGroupList{Kind: "APIGroupList", APIVersion: "v1", Groups: []apiGroup{}}
	for _, g := range s.Table.Groups() {
		if g.Name != "" {
			list.Groups = append(list.Groups, groupOf(g))
		}
	}
	return list
}

// group returns the document at /apis/GROUP.
func (s *Server) group(name string) apiGroup {
	g, _ := s.Table.Group(name)
	doc := groupOf(g)
	doc.Kind, doc.APIVersion = "APIGroup", "v1"
	return doc
}

func groupOf(g schema.Group) apiGroup {
	doc := apiGroup{Name: g.Name}
	for _, v := range g.Versions {
		doc.Versions = append(doc.Versions, groupVersion{GroupVersion: g.Name + "/" + v, Version: v})
	}
	doc.PreferredVersion = doc.Versions[0]
	return doc
}

// resourceList returns the document of a group version.
func resourceList(group, version string, rows []*schema.Resource) apiResourceList {
	list := apiResourceList{Kind: "APIResourceList", GroupVersion: rows[0].APIVersion(), Resources: []apiResource{}}
	if group != "" {
		list.APIVersion = "v1"
	}
	for _, r := range rows {
		list.Resources = append(list.Resources, apiResource{
			Name: r.Plural, SingularName: r.Singular, Namespaced: r.Namespaced, Kind: r.Kind,
			Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories, StorageVersionHash: r.StorageVersionHash,
		})
		for _, sub := range r.Subresources {
			row := apiResource{Name: r.Plural + "/" + sub.Name, Namespaced: r.Namespaced, Kind: sub.Kind, Verbs: sub.Verbs}
			if sub.Group != group || sub.Version != version {
				row.Group, row.Version = sub.Group, sub.Version
			}
			list.Resources = append(list.Resources, row)
		}
	}
	return list
}

// paths answers the root with the list of paths.
func (s *Server) paths(w *answer) error {
	list := []string{wellknown.API, wellknown.APIs, wellknown.APIs + "/", wellknown.Metrics, slisPath, openAPIv2Path,
		openAPIv3Path, openAPIv3Path + "/", wellknown.Version}
	for _, g := range s.Table.Groups() {
		path := wellknown.API
		if g.Name != "" {
			path = wellknown.APIs + "/" + g.Name
			list = append(list, path)
		}
		for _, v := range g.Versions {
			list = append(list, path+"/"+v)
		}
	}
	for _, endpoint := range []string{wellknown.Healthz, wellknown.Livez, wellknown.Readyz} {
		list = append(list, endpoint)
		for _, check := range s.checksOf(endpoint) {
			list = append(list, endpoint+"/"+check)
		}
	}
	slices.Sort(list)
	return w.raw(map[string][]string{"paths": list})
}
