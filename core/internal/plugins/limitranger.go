package plugins

import (
	"context"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// LimitRanger is the admission plugin LimitRanger: new pods get the default resources of
// the LimitRanges in their namespace, and pods and PersistentVolumeClaims must obey the limits.
//
// Without LimitRanges the cost is one lookup; otherwise each LimitRange is decoded for every write
// that it applies to.
//
// Set its fields before use.
type LimitRanger struct {
	// Store has the LimitRanges, and Table their type.
	Store *mvcc.Store
	Table *schema.Table
}

var (
	_ admission.Mutator   = LimitRanger{}
	_ admission.Validator = LimitRanger{}
)

// Mutate sets a pod's defaults from its LimitRanges.
func (p LimitRanger) Mutate(_ context.Context, a *admission.Attributes) error {
	if a.Plural != "pods" || !p.applies(a) {
		return nil
	}
	return p.each(a, func(limitRange map[string]any) error {
		pod.Limit(limitRange, a.Object)
		return nil
	})
}

// Validate refuses an object that violates a LimitRange.
func (p LimitRanger) Validate(_ context.Context, a *admission.Attributes) error {
	if !p.applies(a) {
		return nil
	}
	return p.each(a, func(limitRange map[string]any) error {
		if why := pod.Beyond(limitRange, a.Plural, a.Object); why != "" {
			return a.Forbidden(why)
		}
		return nil
	})
}

// each calls f with the LimitRanges that apply to a write, in the order of their names, until it
// fails.
func (p LimitRanger) each(a *admission.Attributes, f func(limitRange map[string]any) error) error {
	return admission.EachStored(p.Store, p.ranges(), mvcc.Query{Group: a.Namespace + "/"}, f)
}

// applies reports whether LimitRanges apply to a write, and there may be any.
func (p LimitRanger) applies(a *admission.Attributes) bool {
	return isLimited(a) && p.Store.Holds(p.ranges().Bucket())
}

func (p LimitRanger) ranges() *schema.Resource { return p.Table.Resource("", "v1", "limitranges") }

// isLimited reports whether LimitRanges apply to a write: a pod's containers never change, but their
// resources may.
func isLimited(a *admission.Attributes) bool {
	if a.Group != "" || a.Object == nil || a.Operation != admission.Create && a.Operation != admission.Update {
		return false
	}
	switch {
	case a.Old != nil && object.DeletionTimestamp(a.Old) != "":
		return false
	case a.Plural == "pods" && a.Operation == admission.Update:
		return a.Subresource == "resize"
	}
	return a.Subresource == "" && (a.Plural == "pods" || a.Plural == "persistentvolumeclaims")
}
