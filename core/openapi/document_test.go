package openapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
)

// TestReferences checks that every document is complete: it has all types that it refers to.
func TestReferences(t *testing.T) {
	table := schema.Builtin()
	check := func(name string, doc tree) {
		if _, err := json.Marshal(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, ref := range references(doc) {
			if doc["components"].(tree)["schemas"].(tree)[strings.TrimPrefix(ref, reference)] == nil {
				t.Errorf("%s: %s is missing", name, ref)
			}
		}
	}
	for _, g := range table.Groups() {
		for _, version := range g.Versions {
			check(g.Name+"/"+version, Document(g.Name, version, "v1", table.GroupVersion(g.Name, version)))
		}
	}
	for _, root := range Roots(table) {
		check(root.Path, root.Document("v1"))
	}
}

// references finds what a document refers to.
func references(v any) (found []string) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			found = append(found, references(x)...)
		}
	case tree:
		if ref, ok := v["$ref"].(string); ok {
			found = append(found, ref)
		}
		for _, x := range v {
			found = append(found, references(x)...)
		}
	}
	return found
}

func TestRoots(t *testing.T) {
	table := schema.Builtin()
	table.Add(&schema.Resource{Group: "stable.example.com", Version: "v1", Plural: "crontabs", Kind: "CronTab",
		Custom: &schema.Custom{}})
	found := map[string][]string{}
	for _, root := range Roots(table) {
		found[root.Path] = slices.Compact(references(root.Document("v1")["paths"]))
	}
	for path, want := range map[string]string{
		"api": metaTypes + "APIVersions", "apis": metaTypes + "APIGroupList", "apis/apps": metaTypes + "APIGroup",
		"version": "io.k8s.apimachinery.pkg.version.Info", "apis/stable.example.com": "",
	} {
		if got := strings.Join(found[path], " "); got != "" && got != reference+want || got == "" && want != "" {
			t.Errorf("%s refers to %q", path, got)
		}
	}
}

// TestPatchTellsFieldValidation checks the parameter that kubectl looks for.
func TestPatchTellsFieldValidation(t *testing.T) {
	table := schema.Builtin()
	doc := Document("apps", "v1", "v1", table.GroupVersion("apps", "v1"))
	path := doc["paths"].(tree)["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"].(tree)
	patch := path["patch"].(tree)
	if got := patch["x-kubernetes-group-version-kind"].(tree)["kind"]; got != "Deployment" {
		t.Errorf("kind %v", got)
	}
	for _, p := range patch["parameters"].([]any) {
		if p.(tree)["name"] == "fieldValidation" {
			return
		}
	}
	t.Error("patch has no parameter fieldValidation")
}

func TestMergeKeys(t *testing.T) {
	table := schema.Builtin()
	doc := Document("", "v1", "v1", table.GroupVersion("", "v1"))
	spec := doc["components"].(tree)["schemas"].(tree)["io.k8s.api.core.v1.PodSpec"].(tree)
	containers := spec["properties"].(tree)["containers"].(tree)
	if containers["x-kubernetes-patch-merge-key"] != "name" || containers["x-kubernetes-list-type"] != "map" {
		t.Errorf("containers: %v", containers)
	}
}
