package registry

import (
	"cmp"
	"context"
	"net/http"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/kinds/policy"
	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
)

// CheckEviction checks that an Eviction is for the target, and runs the first phase of admission.
// Evict may be called after it.
func (r *Registry) CheckEviction(ctx context.Context, t Target, eviction map[string]any) error {
	return r.checkPart(ctx, t, "Eviction", eviction)
}

// Evict carries out an Eviction: it deletes the target's pod if the pod's PodDisruptionBudget
// allows it. Admission sees the Eviction, not the deletion.
//
// The budget counts a pod before the pod is deleted, each by its own compare-and-swap, so no
// more concurrent evictions succeed than it allows. A pod that may be evicted because it does not
// run, or is not ready, must be unchanged when it is deleted.
func (r *Registry) Evict(ctx context.Context, t Target, eviction map[string]any, o DeleteOptions) error {
	t.Subresource = "eviction"
	r.writes(ctx)
	if err := r.AdmitVirtual(ctx, t, eviction, o.WriteOptions); err != nil {
		return err
	}
	ctx, t.Subresource = Admitted(ctx), ""
	for {
		pod, err := r.stored(ctx, t)
		if err != nil {
			return err
		}
		asked := o.ResourceVersion != nil
		evictable, ending := policy.EvictableAtOnce(pod)
		if !evictable {
			return r.evictGuarded(ctx, t, pod, o)
		}
		exact := o
		if !asked && !ending {
			exact.ResourceVersion = revisionText(pod)
		}
		err = r.deleteDisrupted(ctx, t, exact)
		if asked || ending || !status.Is(err, status.Conflict) || o.UID != nil && *o.UID != object.UID(pod) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// evictGuarded evicts a running pod.
func (r *Registry) evictGuarded(ctx context.Context, t Target, pod map[string]any, o DeleteOptions) error {
	budgets, err := r.budgetsOf(pod)
	switch {
	case err != nil:
		return err
	case len(budgets) > 1:
		return status.New(http.StatusInternalServerError, status.Unknown,
			"This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.", nil)
	case len(budgets) == 0:
		return r.deleteDisrupted(ctx, t, o)
	case policy.AllowsUnhealthy(budgets[0], pod):
		exact := o
		exact.ResourceVersion = revisionText(pod)
		err := r.deleteDisrupted(ctx, t, exact)
		if o.ResourceVersion == nil && status.Is(err, status.Conflict) {
			return refusal(object.Name(budgets[0]), policy.NotObserved(object.Name(budgets[0])))
		}
		return err
	}
	if err := r.disrupt(ctx, budgets[0], t.Name, o.DryRun); err != nil {
		return err
	}
	return r.deleteDisrupted(ctx, t, o)
}

// deleteDisrupted sets the condition of a pod that is being evicted, for those who watch it, and
// deletes it.
func (r *Registry) deleteDisrupted(ctx context.Context, t Target, o DeleteOptions) error {
	if !o.DryRun {
		mark := func(pod map[string]any) (map[string]any, error) {
			if err := checkPreconditions(t, pod, o); err != nil {
				return nil, err
			}
			policy.Disrupted(r.kindContext(o.WriteOptions), pod)
			return pod, nil
		}
		marked := t
		marked.Subresource = "status"
		value, _, err := r.Update(ctx, marked, mark, false, WriteOptions{
			Program: cmp.Or(o.Manager, o.Program), managed: true, frees: true,
		})
		if err != nil {
			return err
		}
		if o.ResourceVersion != nil {
			o.ResourceVersion = revisionText(decode(t.Type(), value))
		}
	}
	_, _, err := r.Delete(ctx, t, o)
	return err
}

// self is the user of the server's own requests.
var self = &auth.User{Name: auth.Server, Groups: []string{auth.Authenticated, auth.Masters}}

// disrupt counts the eviction of a pod in its budget, or only checks it. The server writes the
// budget as itself, whether or not the client that evicts waits for it.
func (r *Registry) disrupt(ctx context.Context, pdb map[string]any, pod string, dryRun bool) error {
	t := Target{
		Resource: r.budgets(), Namespace: object.Namespace(pdb),
		Name: object.Name(pdb), Subresource: "status",
	}
	count := func(pdb map[string]any) (map[string]any, error) {
		if refused := policy.Disrupt(r.kindContext(WriteOptions{}), pdb, pod); refused != nil {
			return nil, refusal(t.Name, refused)
		}
		return pdb, nil
	}
	if dryRun {
		_, err := count(pdb)
		return err
	}
	return r.asServer(ctx, t, count, WriteOptions{frees: true})
}

// asServer changes an object as the server itself, as a part of another request.
func (r *Registry) asServer(ctx context.Context, t Target, change Change, o WriteOptions) error {
	ctx = auth.WithUser(countWith(source.With(context.Background(), source.Of(ctx)), ctx), self)
	o.Manager = serverManager
	_, _, err := r.Update(ctx, t, change, false, o)
	return err
}

// UpdateQuota changes the status of a ResourceQuota as the server itself.
func (r *Registry) UpdateQuota(ctx context.Context, namespace, name string,
	change func(quota map[string]any) (map[string]any, error)) error {
	t := Target{
		Resource: r.Table.Resource("", "v1", "resourcequotas"), Namespace: namespace, Name: name, Subresource: "status",
	}
	return r.asServer(ctx, t, change, WriteOptions{})
}

// refusal returns the error of an eviction that a budget does not allow.
func refusal(pdb string, refused *policy.Refusal) error {
	if refused.Broken {
		return status.NewForbidden(status.GroupResource{Group: "policy", Resource: "poddisruptionbudget"}, pdb,
			refused.Message)
	}
	return status.New(http.StatusTooManyRequests, status.TooManyRequests,
		"Cannot evict pod as it would violate the pod's disruption budget.", &status.Details{
			RetryAfterSeconds: refused.RetryAfter,
			Causes:            []status.Cause{{Reason: "DisruptionBudget", Message: refused.Message}},
		})
}

// budgetsOf returns the PodDisruptionBudgets that select a pod. One with an invalid selector
// selects nothing.
func (r *Registry) budgetsOf(pod map[string]any) ([]map[string]any, error) {
	row, labels := r.budgets(), object.Labels(pod)
	page, err := r.Store.Range(row.Bucket(), mvcc.Query{Group: object.Namespace(pod) + "/"})
	if err != nil {
		return nil, err
	}
	var budgets []map[string]any
	for _, item := range page.Items {
		pdb := decode(row.Type(), item.Value)
		wanted, ok, err := selector.FromLabelSelector(object.GetMap(pdb, "spec", "selector"))
		if err == nil && ok && wanted.Matches(labels) {
			budgets = append(budgets, pdb)
		}
	}
	return budgets, nil
}

func (r *Registry) budgets() *schema.Resource {
	return r.Table.Resource("policy", "v1", "poddisruptionbudgets")
}

func revisionText(obj map[string]any) *string {
	text := object.ResourceVersion(obj)
	return &text
}
