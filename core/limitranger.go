package core

import (
	"context"

	podkind "github.com/tabernetes/tabernetes/core/kinds/pod"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// limitRanger is the admission plugin LimitRanger: new pods get what the LimitRanges of
// their namespace have for those that do not say, and pods and PersistentVolumeClaims
// must keep within them. Without LimitRanges it costs a look at their absence.
type limitRanger struct{ i *instance }

func (l limitRanger) Mutate(_ context.Context, v *registry.Review) error {
	if v.Plural != "pods" {
		return nil
	}
	return l.each(v, func(limitRange map[string]any) error {
		podkind.Limit(limitRange, v.Object)
		return nil
	})
}

func (l limitRanger) Validate(_ context.Context, v *registry.Review) error {
	return l.each(v, func(limitRange map[string]any) error {
		if why := podkind.Beyond(limitRange, v.Plural, v.Object); why != "" {
			return status.NewForbidden(v.GroupResource(), v.Name, why)
		}
		return nil
	})
}

// each calls f with the LimitRanges that a write is subject to, in the order of their
// names, until it fails.
func (l limitRanger) each(v *registry.Review, f func(limitRange map[string]any) error) error {
	if !limited(v) {
		return nil
	}
	t := l.i.table.Resource("", "v1", "limitranges")
	page, err := l.i.store.Range(registry.BucketOf(t), mvcc.Query{Group: v.Namespace + "/"})
	if err != nil {
		return err
	}
	for _, item := range page.Items {
		limitRange, _, err := object.Decode(item.Value, t.Type())
		if err != nil {
			return err
		}
		if err := f(limitRange); err != nil {
			return err
		}
	}
	return nil
}

// limited says whether LimitRanges have a say in a write: a pod has its containers for
// good, but for how much they may use.
func limited(v *registry.Review) bool {
	if v.Group != "" || v.Object == nil || v.Operation != registry.OperationCreate && v.Operation != registry.OperationUpdate {
		return false
	}
	switch {
	case v.Old != nil && object.DeletionTimestamp(v.Old) != "":
		return false
	case v.Plural == "pods" && v.Operation == registry.OperationUpdate:
		return v.Subresource == "resize"
	}
	return v.Subresource == "" && (v.Plural == "pods" || v.Plural == "persistentvolumeclaims")
}
