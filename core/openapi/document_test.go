package openapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
)

// TestReferences makes sure that every document stands alone: whatever it
// refers to it holds.
func TestReferences(t *testing.T) {
	table := schema.Builtin()
	for _, g := range table.Groups() {
		for _, version := range g.Versions {
			doc := Document(g.Name, version, "v1", table.GroupVersion(g.Name, version))
			schemas := doc["components"].(tree)["schemas"].(tree)
			var visit func(any)
			visit = func(v any) {
				switch v := v.(type) {
				case []any:
					for _, x := range v {
						visit(x)
					}
				case tree:
					if ref, ok := v["$ref"].(string); ok {
						if schemas[strings.TrimPrefix(ref, "#/components/schemas/")] == nil {
							t.Errorf("%s/%s: %s is missing", g.Name, version, ref)
						}
					}
					for _, x := range v {
						visit(x)
					}
				}
			}
			visit(doc)
			if _, err := json.Marshal(doc); err != nil {
				t.Errorf("%s/%s: %v", g.Name, version, err)
			}
		}
	}
}

// TestPatchTellsFieldValidation guards what kubectl looks for.
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
