package controller

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// role creates a ClusterRole with a rule for a resource ("": no rules), labels, and perhaps a label
// that it aggregates.
func (c *cluster) role(name, resource, from string, labels ...string) {
	c.Helper()
	t := c.target("clusterroles/" + name)
	obj := map[string]any{"kind": t.Kind, "apiVersion": t.APIVersion(), "metadata": map[string]any{"name": name}}
	for _, label := range labels {
		object.SetNested(obj, "true", "metadata", "labels", label)
	}
	if resource != "" {
		obj["rules"] = []any{map[string]any{"verbs": []any{"get"}, "apiGroups": []any{""}, "resources": []any{resource}}}
	}
	if from != "" {
		selector := map[string]any{"matchLabels": map[string]any{from: "true"}}
		obj["aggregationRule"] = map[string]any{"clusterRoleSelectors": []any{selector}}
	}
	if _, err := c.Create(c.Context(), t, obj, registry.WriteOptions{}); err != nil {
		c.Fatal(err)
	}
}

// resources returns those of a role's rules.
func (c *cluster) resources(role string) string {
	c.Helper()
	var list []string
	for _, one := range object.GetList(c.read("clusterroles/"+role), "rules") {
		for _, resource := range object.GetList(one.(map[string]any), "resources") {
			list = append(list, resource.(string))
		}
	}
	return strings.Join(list, " ")
}

func TestAggregate(t *testing.T) {
	c := newCluster(t, true)
	check := func(want string) {
		t.Helper()
		if got := c.resources("big"); got != want {
			t.Errorf("big has %q, want %q", got, want)
		}
	}
	c.role("z", "pods", "", "to-big")
	c.role("big", "", "to-big")
	c.expect("ADDED clusterroles/z", "ADDED clusterroles/big", "MODIFIED clusterroles/big")
	check("pods")
	owned := slices.ContainsFunc(object.GetList(c.read("clusterroles/big"), "metadata", "managedFields"),
		func(entry any) bool {
			return object.GetString(entry.(map[string]any), "manager") == aggregationManager
		})
	if !owned {
		t.Error("the rules do not belong to " + aggregationManager)
	}
	c.role("a", "services", "", "to-big", "to-middle")
	c.expect("ADDED clusterroles/a", "MODIFIED clusterroles/big")
	check("services pods") // by the roles' names
	c.role("middle", "", "to-middle", "to-big")
	c.expect("ADDED clusterroles/middle", "MODIFIED clusterroles/middle")
	check("services pods") // equal rules once
	c.update("clusterroles/big", func(obj map[string]any) { obj["rules"] = nil })
	c.expect("MODIFIED clusterroles/big", "MODIFIED clusterroles/big") // restored
	check("services pods")
	c.delete("clusterroles/z")
	c.expect("DELETED clusterroles/z", "MODIFIED clusterroles/big")
	check("services")
	c.delete("clusterroles/middle")
	c.delete("clusterroles/a")
	c.expect("DELETED clusterroles/middle", "DELETED clusterroles/a", "MODIFIED clusterroles/big")
	check("")
}
