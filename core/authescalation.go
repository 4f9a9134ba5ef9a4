package core

import (
	"context"
	"slices"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// escalation is the admission plugin that keeps users from giving rights that
// they do not hold: by a role, unless they may "escalate" it, or by a binding,
// unless they may "bind" its role. It works while RBAC does.
type escalation struct{ i *instance }

// Mutate refuses a write to a role or a binding. It changes nothing: it is here
// because the check comes before validation.
func (e escalation) Mutate(ctx context.Context, v *registry.Review) error {
	user, by := auth.UserOf(ctx), auth.Authorizer(&e.i.gate.rbac)
	if v.Group != auth.Group || v.Operation == registry.OperationDelete || slices.Contains(user.Groups, auth.Masters) ||
		e.i.gate.access.Load().Authorizer != by {
		return nil
	}
	request, asked := auth.AttributesOf(ctx)
	if v.Old != nil && onlyGarbageFields(v.Object, v.Old) && !(request.Verb == "update" && object.Equal(v.Object, v.Old)) {
		return nil
	}
	forbid := func(why string) error { return status.NewForbidden(v.GroupResource(), object.Name(v.Object), why) }
	switch v.Plural {
	case "roles", "clusterroles":
		if asked {
			if allowed, _ := by.Authorize(request.As("escalate")); allowed {
				return nil
			}
		}
		if err := auth.Grants(user, v.Namespace, auth.RulesOf(v.Object), by); err != nil {
			return forbid(err.Error())
		}
		if (aggregates(v.Object) || aggregates(v.Old)) && !auth.GrantsEverything(user, by) {
			return forbid("must have cluster-admin privileges to use the aggregationRule")
		}
	case "rolebindings", "clusterrolebindings":
		ref := object.GetMap(v.Object, "roleRef")
		bind := auth.Attributes{
			User: user, Verb: "bind", IsResource: true, Namespace: v.Namespace, Group: object.GetString(ref, "apiGroup"),
			Resource: map[string]string{"Role": "roles", "ClusterRole": "clusterroles"}[object.GetString(ref, "kind")],
			Name:     object.GetString(ref, "name"),
		}
		if allowed, _ := by.Authorize(bind); allowed && bind.Resource != "" {
			return nil
		}
		rules, ok := e.i.gate.rbac.BoundRules(v.Object, v.Namespace)
		if !ok {
			return status.NewNotFound(v.GroupResource(), bind.Name)
		}
		if err := auth.Grants(user, v.Namespace, rules, by); err != nil {
			return forbid(err.Error())
		}
	}
	return nil
}

// Validate has nothing to add.
func (escalation) Validate(context.Context, *registry.Review) error { return nil }

// aggregates says whether a ClusterRole takes the rules of others.
func aggregates(role map[string]any) bool {
	return len(object.GetList(role, "aggregationRule", "clusterRoleSelectors")) > 0
}

// onlyGarbageFields says whether an update changes no more than a garbage
// collector has to. A PUT that changes nothing is checked all the same: it seldom
// brings all metadata along.
func onlyGarbageFields(obj, old map[string]any) bool {
	clean := func(obj map[string]any) map[string]any {
		obj = object.DeepCopy(obj)
		meta := object.Meta(obj)
		for _, name := range []string{"ownerReferences", "finalizers", "selfLink", "managedFields"} {
			delete(meta, name)
		}
		return obj
	}
	return object.Equal(clean(obj), clean(old))
}
