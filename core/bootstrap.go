package core

import (
	"fmt"

	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// systemNamespaces are there from the start.
var systemNamespaces = []string{"default", "kube-system", "kube-public", "kube-node-lease"}

// systemObjects is what else every cluster has: what the real server itself creates,
// as far as others refer to it.
func systemObjects() []map[string]any {
	var all []map[string]any
	for _, name := range systemNamespaces {
		all = append(all, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
	}
	for _, class := range []struct{ name, description string }{
		{"system-node-critical", "Used for system critical pods that must not be moved from their current node."},
		{"system-cluster-critical", "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."},
	} {
		all = append(all, map[string]any{
			"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": map[string]any{"name": class.name},
			"value": valid.SystemPriority[class.name], "description": class.description,
		})
	}
	return append(all, map[string]any{
		"apiVersion": "v1", "kind": "Service",
		"metadata": map[string]any{
			"name": "kubernetes", "namespace": "default",
			"labels": map[string]any{"component": "apiserver", "provider": "kubernetes"},
		},
		"spec": map[string]any{
			"clusterIP": "10.96.0.1", // the first of the range
			"ports":     []any{map[string]any{"name": "https", "protocol": "TCP", "port": int64(443), "targetPort": int64(6443)}},
		},
	})
}

// bootstrap creates what every cluster has, where it is missing.
func (i *instance) bootstrap() error {
	for _, obj := range append(systemObjects(), newControlPlane(*i.spec.Load())) {
		if err := i.ensure(obj); err != nil {
			return err
		}
	}
	if err := i.defaultRoles(); err != nil {
		return err
	}
	i.webhooks.Enable()
	return nil
}

// ensure creates an object unless it is there.
func (i *instance) ensure(obj map[string]any) error {
	group, version := object.SplitGroupVersion(object.APIVersion(obj))
	t := registry.Target{
		Resource:  i.table.ByKind(group, version, object.Kind(obj)),
		Namespace: object.Namespace(obj), Name: object.Name(obj),
	}
	_, err := i.registry.Get(i.ctx, t)
	if status.Is(err, status.NotFound) {
		t.Name = ""
		err = i.registry.Bootstrap(t, obj)
	}
	if err != nil && !status.Is(err, status.AlreadyExists) {
		return fmt.Errorf("core: %s %s: %w", t.Plural, object.Name(obj), err)
	}
	return nil
}
