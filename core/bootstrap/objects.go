package bootstrap

import (
	_ "embed" // for objects.jsonl
	"strings"

	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// recorded are initial objects of the real server as it makes them, one a line: the range of Services' addresses, an
// APIService for each group version, and what priority and fairness begins with. What the server adds to new objects
// is left out, and what complete adds.
//
//go:embed objects.jsonl
var recorded string

// systemNamespaces are created at start.
var systemNamespaces = []string{"default", "kube-system", "kube-public", "kube-node-lease"}

// Objects returns the initial objects of every cluster: those that the real server creates, except for what it writes
// about itself.
func Objects() []map[string]any {
	var all []map[string]any
	for _, name := range systemNamespaces {
		all = append(all, map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
		})
	}
	for _, class := range []struct{ name, description string }{
		{"system-node-critical", "Used for system critical pods that must not be moved from their current node."},
		{"system-cluster-critical", "Used for system critical pods that must run in the cluster, " +
			"but can be moved to another node if necessary."},
	} {
		all = append(all, map[string]any{
			"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
			"metadata": map[string]any{"name": class.name},
			"value":    valid.SystemPriority[class.name], "description": class.description,
		})
	}
	for line := range strings.Lines(recorded) {
		obj, _, err := object.Decode([]byte(line), nil)
		if err != nil {
			panic("bootstrap: " + err.Error()) // a test reads them
		}
		all = append(all, obj)
	}
	return append(all, map[string]any{
		"apiVersion": "v1", "kind": "Service",
		"metadata": map[string]any{
			"name": "kubernetes", "namespace": "default",
			"labels": map[string]any{"component": "apiserver", "provider": "kubernetes"},
		},
		"spec": map[string]any{
			"clusterIP":      "10.96.0.1", // the first of the range
			"ipFamilyPolicy": "SingleStack",
			"ports": []any{map[string]any{
				"name": "https", "protocol": "TCP", "port": int64(443), "targetPort": int64(6443),
			}},
		},
	})
}

// A status is what a controller of the real server says of the initial objects of a kind.
type status struct {
	// writer is the field manager of the objects, and manager that of the condition.
	writer, manager string
	condition       func(obj map[string]any) map[string]any
}

const fairness = "api-priority-and-fairness-config-"

// statuses are the kinds that have one, or another writer than the server itself.
var statuses = map[string]status{
	"ServiceCIDR": {manager: "kubernetes-service-cidr-controller",
		condition: func(map[string]any) map[string]any {
			return map[string]any{"type": "Ready", "status": "True", "message": "Kubernetes default Service CIDR is ready",
				"reason": ""}
		}},
	"FlowSchema": {writer: fairness + "producer-v1", manager: fairness + "consumer-v1",
		condition: func(obj map[string]any) map[string]any {
			return map[string]any{"type": "Dangling", "status": "False", "reason": "Found",
				"message": `This FlowSchema references the PriorityLevelConfiguration object named "` +
					object.GetString(obj, "spec", "priorityLevelConfiguration", "name") + `" and it exists`}
		}},
	"PriorityLevelConfiguration": {writer: fairness + "producer-v1"},
}

// complete adds to an initial object the condition of its status, and its manager, as of a time.
func (s status) complete(obj map[string]any, now string) {
	if s.condition == nil {
		return
	}
	condition := s.condition(obj)
	owned := []string{`".":{},"f:lastTransitionTime":{},"f:message":{}`}
	if condition["reason"] != "" {
		owned = append(owned, `"f:reason":{}`)
	}
	owned = append(owned, `"f:status":{},"f:type":{}`)
	condition["lastTransitionTime"] = now
	obj["status"] = map[string]any{"conditions": []any{condition}}
	kind, _ := condition["type"].(string)
	object.Meta(obj)["managedFields"] = []any{map[string]any{
		"manager": s.manager, "operation": "Apply", "apiVersion": object.APIVersion(obj), "time": now,
		"fieldsType": "FieldsV1", "subresource": "status",
		"fieldsV1": object.RawJSON(`{"f:status":{"f:conditions":{"k:{\"type\":\"` + kind + `\"}":{` +
			strings.Join(owned, ",") + `}}}}`),
	}}
}
