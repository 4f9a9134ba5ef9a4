package auth

import (
	"cmp"
	"maps"
	"slices"
)

// An Object names a role or a binding, or a subject of one; Namespace is empty for what has none.
type Object struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// A Grant is a binding by which something is allowed.
type Grant struct {
	// Subjects are those of the binding, or those that the user is whom the question names.
	Subjects []Object `json:"subjects"`
	Binding  Object   `json:"binding"`
	Role     Object   `json:"role"`
	// Rule is the place of the first rule of the role that allows it.
	Rule int `json:"rule"`
}

// Grants returns all bindings by which a request is allowed: to its user, or to anybody if it has none. Missing are
// those that apply to the user, too, and whose role does not exist.
func (r *RBAC) Grants(a Attributes) (all, missing []Grant) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	namespaces := []string{""}
	if a.Namespace != "" {
		namespaces = append(namespaces, a.Namespace)
	}
	for _, namespace := range namespaces {
		s := r.scopes[namespace]
		if s == nil {
			continue
		}
		bindings := slices.SortedFunc(maps.Values(s.bindings), func(a, b *binding) int { return cmp.Compare(a.name, b.name) })
		for _, b := range bindings {
			g := b.grant(a.User)
			if len(g.Subjects) == 0 {
				continue
			}
			rules, err := r.rulesOf(b.role, namespace)
			if err != nil {
				missing = append(missing, g)
				continue
			}
			if g.Rule = slices.IndexFunc(rules, func(rule Rule) bool { return rule.allows(&a) }); g.Rule >= 0 {
				all = append(all, g)
			}
		}
	}
	return all, missing
}

// grant returns a binding to those of its subjects that a user is, or to all of them for nil.
func (b *binding) grant(u *User) Grant {
	g := Grant{Binding: Object{"ClusterRoleBinding", b.namespace, b.name}, Role: Object{b.role.kind, "", b.role.name}}
	if b.namespace != "" {
		g.Binding.Kind = "RoleBinding"
	}
	if b.role.kind == "Role" {
		g.Role.Namespace = b.namespace
	}
	for _, s := range b.subjects {
		if u == nil || s.is(u, b.namespace) {
			of := Object{s.kind, s.namespace, s.name}
			if s.kind == "ServiceAccount" {
				of.Namespace = cmp.Or(s.namespace, b.namespace)
			}
			g.Subjects = append(g.Subjects, of)
		}
	}
	return g
}
