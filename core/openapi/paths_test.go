package openapi

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
)

// TestPaths compares the operations of paths with those of the real server: method,
// name and action.
func TestPaths(t *testing.T) {
	table := schema.Builtin()
	row := customRow(t, `{"type":"object"}`)
	row.Verbs, row.Namespaced = append(row.Verbs, "watch"), true
	row.Subresources = []schema.Subresource{
		{Name: "status", Group: row.Group, Version: "v1", Kind: "CronTab", Verbs: []string{"get", "update"}},
		{Name: "scale", Group: "autoscaling", Version: "v1", Kind: "Scale", Verbs: []string{"get"}},
		{Name: "act", Group: row.Group, Version: "v1", Kind: "Act", Verbs: []string{"create"}},
	}
	table.Add(row)
	for path, want := range map[string][]string{
		"/api/v1/": {"get getCoreV1APIResources"},
		"/api/v1/namespaces/{namespace}/pods": {
			"delete deleteCoreV1CollectionNamespacedPod deletecollection",
			"get listCoreV1NamespacedPod list",
			"post createCoreV1NamespacedPod post",
		},
		"/api/v1/namespaces/{namespace}/pods/{name}": {
			"delete deleteCoreV1NamespacedPod delete",
			"get readCoreV1NamespacedPod get",
			"patch patchCoreV1NamespacedPod patch",
			"put replaceCoreV1NamespacedPod put",
		},
		"/api/v1/namespaces/{namespace}/pods/{name}/exec": {
			"get connectCoreV1GetNamespacedPodExec connect",
			"post connectCoreV1PostNamespacedPodExec connect",
		},
		"/api/v1/namespaces/{namespace}/pods/{name}/log": {"get readCoreV1NamespacedPodLog get"},
		"/api/v1/nodes/{name}/proxy/{path}": {
			"delete connectCoreV1DeleteNodeProxyWithPath connect",
			"get connectCoreV1GetNodeProxyWithPath connect",
			"head connectCoreV1HeadNodeProxyWithPath connect",
			"options connectCoreV1OptionsNodeProxyWithPath connect",
			"patch connectCoreV1PatchNodeProxyWithPath connect",
			"post connectCoreV1PostNodeProxyWithPath connect",
			"put connectCoreV1PutNodeProxyWithPath connect",
		},
		"/api/v1/pods":               {"get listCoreV1PodForAllNamespaces list"},
		"/api/v1/watch/pods":         {"get watchCoreV1PodListForAllNamespaces watchlist"},
		"/api/v1/watch/nodes/{name}": {"get watchCoreV1Node watch"},
		"/apis/apps/v1/watch/namespaces/{namespace}/deployments": {
			"get watchAppsV1NamespacedDeploymentList watchlist",
		},
		"/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale": {
			"get readAppsV1NamespacedDeploymentScale get",
			"patch patchAppsV1NamespacedDeploymentScale patch",
			"put replaceAppsV1NamespacedDeploymentScale put",
		},
		"/apis/rbac.authorization.k8s.io/v1/clusterroles/{name}": {
			"delete deleteRbacAuthorizationV1ClusterRole delete",
			"get readRbacAuthorizationV1ClusterRole get",
			"patch patchRbacAuthorizationV1ClusterRole patch",
			"put replaceRbacAuthorizationV1ClusterRole put",
		},
		"/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/status": {
			"get readStableExampleComV1NamespacedCronTabStatus get",
			"put replaceStableExampleComV1NamespacedCronTabStatus put",
		},
		"/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/scale": {
			"get readStableExampleComV1NamespacedCronTabScale get",
		},
		"/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/act": {
			"post createStableExampleComV1NamespacedCronTabAct post",
		},
		"/apis/stable.example.com/v1/watch/crontabs": nil,
	} {
		parts := strings.Split(path, "/")
		group, version := "", parts[2]
		if parts[1] == "apis" {
			group, version = parts[2], parts[3]
		}
		item, _ := Document(group, version, "v1", table.GroupVersion(group, version))["paths"].(tree)[path].(tree)
		var got []string
		for _, method := range slices.Sorted(maps.Keys(item)) {
			if op, ok := item[method].(tree); ok {
				action, _ := op["x-kubernetes-action"].(string)
				got = append(got, strings.TrimSpace(method+" "+op["operationId"].(string)+" "+action))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", path, got, want)
		}
	}
}

// TestSharedParameters checks the parameters that all operations of a path share.
func TestSharedParameters(t *testing.T) {
	names := func(list any) string {
		var text []string
		for _, p := range entries(list) {
			text = append(text, p.(tree)["name"].(string))
		}
		return strings.Join(text, " ")
	}
	table := schema.Builtin()
	paths := Document("", "v1", "v1", table.GroupVersion("", "v1"))["paths"].(tree)
	named := paths["/api/v1/namespaces/{namespace}/pods/{name}"].(tree)
	if got := names(named["parameters"]); got != "name namespace pretty" {
		t.Errorf("%s", got)
	}
	if got := names(named["patch"].(tree)["parameters"]); got != "dryRun fieldManager fieldValidation force" {
		t.Errorf("%s", got)
	}
	row := customRow(t, `{"type":"object"}`)
	row.Subresources = []schema.Subresource{{
		Name: "past", Group: row.Group, Version: "v1", Kind: "CronTab", Verbs: []string{"get", "update"},
		Numbers: []string{"from", "to"},
	}}
	custom := Document(row.Group, row.Version, "v1", []*schema.Resource{row})["paths"].(tree)
	past := custom["/apis/stable.example.com/v1/crontabs/{name}/past"].(tree)
	for method, want := range map[string]string{"get": "from to", "put": "dryRun fieldManager fieldValidation"} {
		if got := names(past[method].(tree)["parameters"]); got != want {
			t.Errorf("%s of a subresource takes %q, want %q", method, got, want)
		}
	}
	all := paths["/api/v1/pods"].(tree)
	if got := names(all["parameters"]); !strings.HasPrefix(got, "allowWatchBookmarks continue ") ||
		all["get"].(tree)["parameters"] != nil {
		t.Errorf("%s", got)
	}
}
