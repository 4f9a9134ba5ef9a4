package controller

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
)

// policySpec returns the spec of a ValidatingAdmissionPolicy for a resource of apps/v1, or several.
func policySpec(t testing.TB, resources, expressions string) map[string]any {
	return objecttest.Parse(t, `{"matchConstraints":{"resourceRules":[{"operations":["*"],"apiGroups":["apps"],
		"apiVersions":["v1"],"resources":[`+resources+`]}]},"validations":[`+expressions+`]}`)
}

func TestTypeCheck(t *testing.T) {
	c := newCluster(t, true)
	const policy = "validatingadmissionpolicies/p"
	c.createWith(policy, policySpec(t, `"deployments","replicasets/scale","daemonsets"`,
		`{"expression":"object.spec.replicas > '1'"},`+
			`{"expression":"true","messageExpression":"string(object.metadata.nam)"}`))
	c.expect("ADDED "+policy, "MODIFIED "+policy)
	const overload = "ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n" +
		" | object.spec.replicas > '1'\n | .....................^"
	const field = "ERROR: <input>:1:12: undefined field 'replicas'\n | object.spec.replicas > '1'\n | ...........^"
	const name = "ERROR: <input>:1:23: undefined field 'nam'\n | string(object.metadata.nam)\n | ......................^"
	want := []any{
		map[string]any{"fieldRef": "spec.validations[0].expression",
			"warning": "apps/v1, Kind=DaemonSet: " + field + "\n\napps/v1, Kind=Deployment: " + overload + "\n"},
		map[string]any{"fieldRef": "spec.validations[1].messageExpression",
			"warning": "apps/v1, Kind=DaemonSet: " + name + "\n\napps/v1, Kind=Deployment: " + name + "\n"},
	}
	p := c.read(policy)
	if got := object.GetList(p, "status", "typeChecking", "expressionWarnings"); !object.Equal(got, want) {
		t.Errorf("the warnings are %q, want %q", got, want)
	}
	if observed, _ := object.GetInt(p, "status", "observedGeneration"); observed != 1 {
		t.Error("observedGeneration is", observed)
	}
	owned := slices.ContainsFunc(object.GetList(p, "metadata", "managedFields"), func(entry any) bool {
		e := entry.(map[string]any)
		return e["manager"] == typeCheckManager && e["operation"] == "Apply" && e["subresource"] == "status"
	})
	if !owned {
		t.Error("the status is not the controller's:", object.GetList(p, "metadata", "managedFields"))
	}

	c.update(policy, func(p map[string]any) {
		p["spec"] = policySpec(t, `"deployments"`, `{"expression":"object.spec.replicas > 1"}`)
	})
	c.expect("MODIFIED "+policy, "MODIFIED "+policy)
	p = c.read(policy)
	if is := object.GetMap(p, "status"); len(object.GetMap(is, "typeChecking")) > 0 {
		t.Error("the status is still", is)
	}
	if observed, _ := object.GetInt(p, "status", "observedGeneration"); observed != 2 {
		t.Error("observedGeneration is", observed)
	}
	c.update(policy, func(p map[string]any) { object.SetNested(p, "x", "metadata", "labels", "x") })
	c.create("namespaces/after") // nothing comes before it
	c.expect("MODIFIED "+policy, "ADDED namespaces/after")
}

// TestTypeCheckOfUnknownTypes finds nothing wrong if there are no types.
func TestTypeCheckOfUnknownTypes(t *testing.T) {
	c := newCluster(t, true)
	for name, resources := range map[string]string{"wildcard": `"*"`, "unknown": `"nones"`} {
		policy := "validatingadmissionpolicies/" + name
		c.createWith(policy, policySpec(t, resources, `{"expression":"object.nonsense == 1"}`))
		c.expect("ADDED "+policy, "MODIFIED "+policy)
		if is := object.GetMap(c.read(policy), "status"); len(object.GetMap(is, "typeChecking")) > 0 {
			t.Error(name, "has", is)
		}
	}
}

// TestTypeCheckNamesTypes in the real server's way, with the time.
func TestTypeCheckNamesTypes(t *testing.T) {
	c := newCluster(t, true)
	const policy = "validatingadmissionpolicies/p"
	c.createWith(policy, policySpec(t, `"deployments"`, `{"expression":"object.spec == 1"}`))
	c.expect("ADDED "+policy, "MODIFIED "+policy)
	list := object.GetList(c.read(policy), "status", "typeChecking", "expressionWarnings")
	if len(list) != 1 || !strings.Contains(list[0].(map[string]any)["warning"].(string),
		"'(Deployment0.spec, int)'") {
		t.Error(list)
	}
}
