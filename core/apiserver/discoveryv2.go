package apiserver

import (
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/tabernetes/tabernetes/core/schema"
)

// The aggregated form of discovery: one document at /api, one at /apis, each with the content of
// all documents below. A client requests it by its group, version and kind, and it takes precedence
// over the plain form wherever it is in the Accept header. Its beta version is not supported any
// more.
const (
	aggregatedGroup   = "apidiscovery.k8s.io"
	aggregatedVersion = "v2"
	aggregatedKind    = "APIGroupDiscoveryList"
	aggregatedParams  = ";g=" + aggregatedGroup + ";v=" + aggregatedVersion + ";as=" + aggregatedKind
)

type aggregatedList struct {
	Kind       string           `json:"kind"`
	APIVersion string           `json:"apiVersion"`
	Metadata   struct{}         `json:"metadata"`
	Items      []aggregatedAPIs `json:"items"`
}

type aggregatedAPIs struct {
	Metadata struct {
		Name string `json:"name,omitempty"`
	} `json:"metadata"`
	Versions []aggregatedResources `json:"versions"`
}

type aggregatedResources struct {
	Version   string               `json:"version"`
	Resources []aggregatedResource `json:"resources"`
	Freshness string               `json:"freshness"`
}

type aggregatedResource struct {
	Resource     string                  `json:"resource"`
	ResponseKind groupVersionKind        `json:"responseKind"`
	Scope        string                  `json:"scope"`
	Singular     string                  `json:"singularResource"`
	Verbs        []string                `json:"verbs"`
	ShortNames   []string                `json:"shortNames,omitempty"`
	Categories   []string                `json:"categories,omitempty"`
	Subresources []aggregatedSubresource `json:"subresources,omitempty"`
}

type aggregatedSubresource struct {
	Subresource  string           `json:"subresource"`
	ResponseKind groupVersionKind `json:"responseKind"`
	Verbs        []string         `json:"verbs"`
}

type groupVersionKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// aggregated answers with the aggregated form of /api (core) or /apis, if it is requested;
// otherwise it returns false and answers nothing.
func (a *answer) aggregated(core bool) (bool, error) {
	if !a.asksAggregated() {
		return false, nil
	}
	document, err := json.Marshal(aggregatedDiscovery(a.server.Table, core))
	if err != nil {
		return true, err
	}
	tag := fmt.Sprintf(`"%X"`, sha512.Sum512(document))
	h := a.Header()
	h.Set("Etag", tag)
	h.Set("Vary", "Accept")
	h.Set("Cache-Control", "public")
	if a.request.Header.Get("If-None-Match") == tag {
		a.WriteHeader(http.StatusNotModified)
		return true, nil
	}
	a.sendWith(http.StatusOK, append(document, '\n'), aggregatedParams)
	return true, nil
}

// asksAggregated reports whether the aggregated form is requested, and chooses its representation.
func (a *answer) asksAggregated() bool {
	for _, c := range parseAccept(a.request.Header.Get("Accept")) {
		p := c.params
		if p["g"] != aggregatedGroup || p["v"] != aggregatedVersion || p["as"] != aggregatedKind || p["sv"] != "" {
			continue
		}
		for _, t := range served {
			if !c.includes(t) || p["stream"] != "" && (p["stream"] != "watch" || !t.streams()) {
				continue
			}
			a.media, a.as, a.pretty = t, conversion{}, wantsPretty(a.request) || p["pretty"] == "1"
			return true
		}
	}
	return false
}

// aggregatedDiscovery returns the document of the core group or of all others.
func aggregatedDiscovery(table *schema.Table, core bool) aggregatedList {
	list := aggregatedList{Kind: aggregatedKind, APIVersion: aggregatedGroup + "/" + aggregatedVersion,
		Items: []aggregatedAPIs{}}
	for _, g := range table.Groups() {
		if (g.Name == "") != core {
			continue
		}
		var item aggregatedAPIs
		item.Metadata.Name = g.Name
		for _, version := range g.Versions {
			v := aggregatedResources{Version: version, Freshness: "Current", Resources: []aggregatedResource{}}
			for _, row := range table.GroupVersion(g.Name, version) {
				v.Resources = append(v.Resources, aggregatedRow(row))
			}
			item.Versions = append(item.Versions, v)
		}
		list.Items = append(list.Items, item)
	}
	return list
}

func aggregatedRow(row *schema.Resource) aggregatedResource {
	r := aggregatedResource{
		Resource: row.Plural, Singular: row.Singular, Scope: "Cluster", Verbs: row.Verbs, ShortNames: row.ShortNames,
		Categories:   row.Categories,
		ResponseKind: responseKind(row, row.Group, row.Version, row.Kind),
	}
	if row.Namespaced {
		r.Scope = "Namespaced"
	}
	for _, sub := range row.Subresources {
		r.Subresources = append(r.Subresources, aggregatedSubresource{
			Subresource: sub.Name, Verbs: sub.Verbs, ResponseKind: responseKind(row, sub.Group, sub.Version, sub.Kind),
		})
	}
	return r
}

// responseKind returns a kind. Kubernetes' own resources omit their own group and version.
func responseKind(row *schema.Resource, group, version, kind string) groupVersionKind {
	if row.Custom == nil && group == row.Group && version == row.Version {
		group, version = "", ""
	}
	return groupVersionKind{group, version, kind}
}
