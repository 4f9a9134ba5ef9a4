package controller

import (
	"context"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// aggregationManager is the field manager of an aggregated role's rules.
const aggregationManager = "clusterrole-aggregation-controller"

// aggregate sets the rules of ClusterRoles with an aggregationRule to those of the roles that it
// selects.
func aggregate(r *registry.Registry) plan {
	a := aggregator{client{r}, registry.Target{Resource: r.Table.Resource("rbac.authorization.k8s.io", "v1",
		"clusterroles")}}
	return plan{
		buckets:   func() []string { return []string{a.roles.Resource.Bucket()} },
		notice:    func(_ *mvcc.Event, add add) { add("", 0) }, // any role may be selected by any other
		reconcile: a.reconcile,
	}
}

type aggregator struct {
	client
	roles registry.Target
}

// reconcile looks at all roles: there are few, and they seldom change.
func (a aggregator) reconcile(ctx context.Context, _ string) (time.Duration, error) {
	list, err := a.registry.List(ctx, a.roles, registry.ListOptions{})
	if err != nil {
		return 0, err
	}
	roles := make([]map[string]any, len(list.Items)) // by name
	for i, value := range list.Items {
		if roles[i], err = decode(a.roles, value); err != nil {
			return 0, err
		}
	}
	for _, role := range roles {
		if object.GetMap(role, "aggregationRule") == nil {
			continue
		}
		if rules := rulesFor(role, roles); !object.Equal(rules, object.GetList(role, "rules")) {
			if err := a.apply(ctx, object.Name(role), rules); err != nil {
				return 0, err
			}
		}
	}
	return 0, nil
}

// rulesFor returns the rules of the roles that an aggregated one selects, without duplicates.
func rulesFor(aggregated map[string]any, roles []map[string]any) []any {
	var rules []any
	for _, one := range object.GetList(aggregated, "aggregationRule", "clusterRoleSelectors") {
		tree, _ := one.(map[string]any)
		selected, _, err := selector.FromLabelSelector(tree)
		if err != nil {
			continue // not so: it was stored
		}
		for _, role := range roles {
			if object.Name(role) == object.Name(aggregated) || !selected.Matches(object.Labels(role)) {
				continue
			}
			for _, rule := range object.GetList(role, "rules") {
				if !slices.ContainsFunc(rules, func(known any) bool { return object.Equal(known, rule) }) {
					rules = append(rules, rule)
				}
			}
		}
	}
	return rules
}

// apply sets the rules of a role if it still exists.
func (a aggregator) apply(ctx context.Context, name string, rules []any) error {
	t := a.roles
	t.Name = name
	role := map[string]any{"apiVersion": t.APIVersion(), "kind": t.Kind, "metadata": map[string]any{"name": name}}
	if rules != nil {
		role["rules"] = rules
	}
	gone := status.NewNotFound(t.GroupResource(), name)
	o := options("PatchOptions")
	o.Manager, o.MayCreate = aggregationManager, func(context.Context) error { return gone }
	_, _, err := a.registry.Apply(ctx, t, registry.Configuration{Object: role, Force: true}, o)
	if status.Is(err, status.NotFound) {
		return nil
	}
	return err
}
