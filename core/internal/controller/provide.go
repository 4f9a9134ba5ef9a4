package controller

import (
	"context"
	_ "embed" // for ca.crt
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

const (
	defaultAccount = "default"
	caConfigMap    = "kube-root-ca.crt"
	caDescription  = "kubernetes.io/description"
)

// caBundle is a placeholder: nothing here speaks TLS, so there is no CA. It can
// be parsed as a certificate, but nobody has its key.
//
//go:embed ca.crt
var caBundle string

// provide creates the ServiceAccount and the ConfigMap that every real namespace has, and restores
// them when they are deleted or changed.
func provide(r *registry.Registry) plan {
	p := provider{
		client:          client{r},
		namespaces:      registry.Target{Resource: r.Table.Resource("", "v1", "namespaces")},
		serviceAccounts: registry.Target{Resource: r.Table.Resource("", "v1", "serviceaccounts"), Name: defaultAccount},
		configMaps:      registry.Target{Resource: r.Table.Resource("", "v1", "configmaps"), Name: caConfigMap},
	}
	namespaces, serviceAccounts := p.namespaces.Resource.Bucket(), p.serviceAccounts.Resource.Bucket()
	configMaps := p.configMaps.Resource.Bucket()
	return plan{
		buckets: func() []string { return []string{namespaces, serviceAccounts, configMaps} },
		notice: func(e *mvcc.Event, add add) {
			namespace, name, _ := strings.Cut(e.Key, "/")
			if e.Bucket == namespaces || e.Bucket == serviceAccounts && name == defaultAccount || e.Bucket == configMaps &&
				name == caConfigMap {
				add(namespace, 0)
			}
		},
		reconcile: p.reconcile,
	}
}

type provider struct {
	client
	namespaces, serviceAccounts, configMaps registry.Target
}

func (p provider) reconcile(ctx context.Context, name string) (time.Duration, error) {
	at := p.namespaces
	at.Name = name
	namespace, err := p.get(ctx, at)
	if namespace == nil || err != nil || object.DeletionTimestamp(namespace) != "" {
		return 0, err
	}
	at = p.serviceAccounts
	at.Namespace = name
	if err := p.ensure(ctx, at, func(map[string]any) {}); err != nil {
		return 0, err
	}
	at = p.configMaps
	at.Namespace = name
	return 0, p.ensure(ctx, at, fillConfigMap)
}

// fillConfigMap sets the content of kube-root-ca.crt. Of the description only the presence counts,
// and other annotations may exist.
func fillConfigMap(obj map[string]any) {
	obj["data"] = map[string]any{"ca.crt": caBundle}
	if object.GetString(obj, "metadata", "annotations", caDescription) == "" {
		object.SetNested(obj, "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "+
			"endpoints such as "+
			"the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of "+
			"Kubernetes clusters.",
			"metadata", "annotations", caDescription)
	}
}

// ensure makes sure that the target's object exists and is as fill leaves it.
func (p provider) ensure(ctx context.Context, t registry.Target, fill func(map[string]any)) error {
	obj, err := p.get(ctx, t)
	if err != nil {
		return err
	}
	if obj == nil {
		obj = map[string]any{}
		fill(obj)
		return p.create(ctx, t, obj)
	}
	return p.change(ctx, t, object.UID(obj), func(old map[string]any) (map[string]any, error) {
		fill(old)
		return old, nil
	})
}
