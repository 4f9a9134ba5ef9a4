package plugins

import (
	"context"
	"slices"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// Escalation is the admission plugin against privilege escalation: users cannot grant
// rights that they do not have, by a role unless they may "escalate" it, or by a binding unless
// they may "bind" its role. It is active only with RBAC.
//
// It has to come after the last Mutator of the chain, since it checks the role or the binding that
// will be stored.
//
// Set its fields before use.
type Escalation struct {
	// RBAC returns the rights of users.
	RBAC *auth.RBAC
	// Active reports whether the RBAC authorizer is in use.
	Active func() bool
}

var _ admission.Checker = Escalation{}

// Check refuses a write to a role or a binding that escalates privileges.
func (p Escalation) Check(ctx context.Context, a *admission.Attributes) error {
	user, authorizer := auth.UserOf(ctx), auth.Authorizer(p.RBAC)
	if a.Group != auth.Group || a.Operation == admission.Delete ||
		slices.Contains(user.Groups, auth.Masters) || !p.Active() {
		return nil
	}
	request, asked := auth.AttributesOf(ctx)
	if a.Old != nil && onlyGarbageFields(a.Object, a.Old) && !(request.Verb == "update" && object.Equal(a.Object, a.Old)) {
		return nil
	}
	forbid := func(why string) error { return status.NewForbidden(a.GroupResource(), object.Name(a.Object), why) }
	switch a.Plural {
	case "roles", "clusterroles":
		if asked {
			if allowed, _ := authorizer.Authorize(request.As("escalate")); allowed {
				return nil
			}
		}
		if err := auth.Grants(user, a.Namespace, auth.RulesOf(a.Object), authorizer); err != nil {
			return forbid(err.Error())
		}
		if (isAggregated(a.Object) || isAggregated(a.Old)) && !auth.GrantsEverything(user, authorizer) {
			return forbid("must have cluster-admin privileges to use the aggregationRule")
		}
	case "rolebindings", "clusterrolebindings":
		ref := object.GetMap(a.Object, "roleRef")
		bind := auth.Attributes{
			User: user, Verb: "bind", IsResource: true, Namespace: a.Namespace, Group: object.GetString(ref, "apiGroup"),
			Resource: map[string]string{"Role": "roles", "ClusterRole": "clusterroles"}[object.GetString(ref, "kind")],
			Name:     object.GetString(ref, "name"),
		}
		if allowed, _ := authorizer.Authorize(bind); allowed && bind.Resource != "" {
			return nil
		}
		rules, ok := p.RBAC.BoundRules(a.Object, a.Namespace)
		if !ok {
			return status.NewNotFound(a.GroupResource(), bind.Name)
		}
		if err := auth.Grants(user, a.Namespace, rules, authorizer); err != nil {
			return forbid(err.Error())
		}
	}
	return nil
}

// isAggregated reports whether a ClusterRole aggregates others.
func isAggregated(role map[string]any) bool {
	return len(object.GetList(role, "aggregationRule", "clusterRoleSelectors")) > 0
}

// onlyGarbageFields reports whether an update changes only what a garbage collector has to change.
// A PUT that changes nothing is checked all the same: it seldom has all the metadata.
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
