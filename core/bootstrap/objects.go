package bootstrap

import (
	"context"
	_ "embed" // for objects.jsonl
	"strings"

	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// placed are initial objects of the real server as it has them, one a line: the range of Services' addresses, an
// APIService for each group version, and what priority and fairness begins with. They are written as registry.Place
// expects.
//
//go:embed objects.jsonl
var placed string

// place creates the placed objects that are missing.
func place(ctx context.Context, r *registry.Registry) error {
	for line := range strings.Lines(placed) {
		line = strings.TrimSpace(line)
		group, version := object.SplitGroupVersion(between(line, `"apiVersion":"`, `"`))
		t := registry.Target{Resource: r.Table.ByKind(group, version, between(line, `"kind":"`, `"`))}
		var labels map[string]any
		if text := between(line, `"labels":`, `}`); text != "" {
			var err error
			if labels, _, err = object.Decode([]byte(text+"}"), nil); err != nil {
				return err
			}
		}
		t.Name = between(line, `"name":"`, `"`)
		if r.StoredValue(t) != nil {
			continue
		}
		if err := r.Place(ctx, t, t.Name, labels, line); err != nil {
			return err
		}
	}
	return nil
}

// between returns what is in a text between two others, the first that there is; empty if there is none.
func between(text, before, after string) string {
	_, rest, _ := strings.Cut(text, before)
	found, _, _ := strings.Cut(rest, after)
	return found
}

// systemNamespaces are created at start.
var systemNamespaces = []string{"default", "kube-system", "kube-public", "kube-node-lease"}

// objects returns the other initial objects of every cluster.
func objects() []map[string]any {
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
