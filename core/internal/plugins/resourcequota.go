package plugins

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds/quota"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// ResourceQuota is the admission plugin ResourceQuota: a write that would exceed a quota of its namespace is
// refused, and one that does not is charged to the quotas before it is stored.
//
// It trusts status.used, which a controller keeps: a write is charged even if it then fails for another reason, until
// the controller measures again. A quota without a status limits nothing.
//
// Without quotas the cost is one lookup; otherwise each quota of the namespace is decoded, and each that is charged is
// one more write. No other objects are read.
//
// Set its fields before use.
type ResourceQuota struct {
	// Store has the quotas, and Table their type.
	Store *mvcc.Store
	Table *schema.Table
	Now   func() time.Time
	// Update changes the status of a quota as the server itself. It calls change again if the quota was written
	// meanwhile.
	Update func(ctx context.Context, namespace, name string, change QuotaChange) error
}

// A QuotaChange changes a quota.
type QuotaChange = func(quota map[string]any) (map[string]any, error)

var _ admission.Validator = ResourceQuota{}

// Validate checks a write against all quotas first and charges it then. So those that are written to meanwhile may
// refuse it although others were charged.
func (p ResourceQuota) Validate(ctx context.Context, a *admission.Attributes) error {
	if !isCharged(a) {
		return nil
	}
	t := p.Table.Resource("", "v1", "resourcequotas")
	if !p.Store.Holds(t.Bucket()) {
		return nil
	}
	var quotas []map[string]any
	err := admission.EachStored(p.Store, t, mvcc.Query{Group: a.Namespace + "/"}, func(q map[string]any) error {
		ok, err := p.concerns(a, q)
		if ok {
			quotas = append(quotas, q)
		}
		return err
	})
	if err != nil {
		return err
	}
	var charged []string
	for _, q := range quotas {
		used, err := p.charge(a, q)
		if err != nil {
			return err
		}
		if used != nil {
			charged = append(charged, object.Name(q))
		}
	}
	if a.DryRun {
		return nil
	}
	for _, name := range charged {
		err := p.Update(ctx, a.Namespace, name, func(q map[string]any) (map[string]any, error) {
			ok, err := p.concerns(a, q)
			if err != nil || !ok {
				return q, err
			}
			used, err := p.charge(a, q)
			if used != nil {
				object.SetNested(q, used, "status", "used")
			}
			return q, err
		})
		if err != nil && !status.Is(err, status.NotFound) {
			return err
		}
	}
	return nil
}

// isCharged reports whether a write may count in quotas: creations, and of the types whose objects count by their
// content those updates that may change it.
func isCharged(a *admission.Attributes) bool {
	switch {
	case a.Namespace == "" || a.Object == nil || quota.Ignored(a.Resource):
		return false
	case a.Operation == admission.Create:
		return a.Subresource == ""
	case a.Operation != admission.Update || !quota.ByContent(a.Resource):
		return false
	case a.Plural == "pods":
		ends := func(pod map[string]any) bool { return tree.Object(pod, "spec")["activeDeadlineSeconds"] != nil }
		return a.Subresource == "resize" || a.Subresource == "" && ends(a.Object) != ends(a.Old)
	}
	return a.Subresource == "" || a.Subresource == "status" && a.Plural == "persistentvolumeclaims"
}

// concerns reports whether a quota limits what is written. It returns an error if the object lacks what the quota
// needs, or the quota's status does.
func (p ResourceQuota) concerns(a *admission.Attributes, q map[string]any) (bool, error) {
	status := tree.Object(q, "status")
	names := quota.Tracked(a.Resource, tree.Object(status, "hard"))
	if len(names) == 0 || !quota.Selects(q, a.Resource, a.Object) {
		return false, nil
	}
	if a.Plural == "pods" && a.Group == "" {
		if lacks := quota.Lacks(a.Object, names); lacks != "" {
			return false, a.Forbidden("failed quota: " + object.Name(q) + ": " + lacks)
		}
	}
	for _, name := range names {
		if tree.Object(status, "used")[name] == nil {
			return false, a.Forbidden(fmt.Sprintf("status unknown for quota: %s, resources: %s", object.Name(q),
				strings.Join(names, ",")))
		}
	}
	return true, nil
}

// charge returns what a quota has used when the write is done, nil if that does not change, or the error of a write
// that exceeds it.
func (p ResourceQuota) charge(a *admission.Attributes, q map[string]any) (map[string]any, error) {
	var before map[string]any
	if a.Old != nil && quota.Selects(q, a.Resource, a.Old) {
		before = quota.Usage(a.Resource, a.Old, p.Now())
	}
	hard, used := tree.At(q, "status.hard"), tree.At(q, "status.used")
	more := quota.Growth(quota.Usage(a.Resource, a.Object, p.Now()), before)
	total, charged := maps.Clone(used), false
	var beyond []string
	for _, name := range tree.SortedKeys(more) {
		if hard[name] == nil {
			continue
		}
		charged = true
		quota.Add(total, map[string]any{name: more[name]})
		if valid.MoreThan(total[name], hard[name]) {
			beyond = append(beyond, name)
		}
	}
	if !charged {
		return nil, nil
	}
	if len(beyond) > 0 && a.Subresource != "status" {
		list := func(amounts map[string]any) string {
			var all []string
			for _, name := range beyond {
				all = append(all, name+"="+tree.Text(amounts, name))
			}
			return strings.Join(all, ",")
		}
		return nil, a.Forbidden(fmt.Sprintf("exceeded quota: %s, requested: %s, used: %s, limited: %s", object.Name(q),
			list(more), list(used), list(hard)))
	}
	return total, nil
}
