package auth

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
)

// Group is the API group of roles and bindings.
const Group = "rbac.authorization.k8s.io"

// RBAC is the Authorizer that uses roles and bindings. Set adds and removes them.
type RBAC struct {
	// Restrict, if set, says why a request is not allowed, whatever the roles allow; empty: they decide.
	// Set it before use.
	Restrict func(*Attributes) (reason string)

	mu sync.RWMutex
	// roles are the rules of each Role and ClusterRole; the namespace of ClusterRoles is empty.
	roles map[namespacedName][]Rule
	// scopes are the bindings by namespace; that of ClusterRoleBindings is empty.
	scopes map[string]*scope
	// shared is set while other authorizers have the same maps.
	shared bool
}

// namespacedName is the namespace and name of an object.
type namespacedName struct{ namespace, name string }

// scope is the bindings of one namespace, or of the cluster.
type scope struct {
	bindings map[string]*binding
	// users and groups are the bindings by the names of their subjects.
	users, groups map[string][]*binding
}

// binding is a RoleBinding or ClusterRoleBinding.
type binding struct {
	namespacedName
	role     roleRef
	subjects []subject
}

type roleRef struct{ kind, name string }

type subject struct{ kind, namespace, name string }

// Set stores an object of one of the four resources at a key, NAMESPACE/NAME or NAME. A nil object
// removes it.
func (r *RBAC) Set(resource, key string, obj map[string]any) {
	at := namespacedName{"", key}
	if resource == "roles" || resource == "rolebindings" {
		at.namespace, at.name, _ = strings.Cut(key, "/")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.own()
	switch resource {
	case "roles", "clusterroles":
		if r.roles == nil {
			r.roles = map[namespacedName][]Rule{}
		}
		delete(r.roles, at)
		if obj != nil {
			r.roles[at] = RulesOf(obj)
		}
	case "rolebindings", "clusterrolebindings":
		r.bind(at, obj)
	}
}

// bind replaces a binding; nil removes it.
func (r *RBAC) bind(at namespacedName, obj map[string]any) {
	s := r.scopes[at.namespace]
	if s == nil {
		s = &scope{bindings: map[string]*binding{}, users: map[string][]*binding{}, groups: map[string][]*binding{}}
		if r.scopes == nil {
			r.scopes = map[string]*scope{}
		}
		r.scopes[at.namespace] = s
	}
	if old := s.bindings[at.name]; old != nil {
		old.index(s, func(index map[string][]*binding, name string) {
			if index[name] = slices.DeleteFunc(index[name], func(b *binding) bool { return b == old }); len(index[name]) == 0 {
				delete(index, name)
			}
		})
		delete(s.bindings, at.name)
	}
	if obj == nil {
		if len(s.bindings) == 0 {
			delete(r.scopes, at.namespace)
		}
		return
	}
	b := &binding{namespacedName: at, role: roleRefOf(obj)}
	for _, one := range object.GetList(obj, "subjects") {
		tree, _ := one.(map[string]any)
		b.subjects = append(b.subjects, subject{
			object.GetString(tree, "kind"), object.GetString(tree, "namespace"), object.GetString(tree, "name"),
		})
	}
	s.bindings[at.name] = b
	b.index(s, func(index map[string][]*binding, name string) {
		if !slices.Contains(index[name], b) {
			index[name] = append(index[name], b)
		}
	})
}

func roleRefOf(binding map[string]any) roleRef {
	return roleRef{object.GetString(binding, "roleRef", "kind"), object.GetString(binding, "roleRef", "name")}
}

// index calls do with every map and name under which a binding is indexed.
func (b *binding) index(s *scope, do func(index map[string][]*binding, name string)) {
	for _, subject := range b.subjects {
		switch subject.kind {
		case "Group":
			do(s.groups, subject.name)
		default:
			if user := subject.user(b.namespace); user != "" {
				do(s.users, user)
			}
		}
	}
}

// user returns the user name of a subject; empty if it is not a user. A service account without a
// namespace is in that of the binding.
func (s subject) user(namespace string) string {
	switch s.kind {
	case "User":
		return s.name
	case "ServiceAccount":
		if s.namespace != "" {
			namespace = s.namespace
		}
		if namespace != "" {
			return ServiceAccountName(namespace, s.name)
		}
	}
	return ""
}

// is reports whether a subject is a user.
func (s subject) is(u *User, namespace string) bool {
	if s.kind == "Group" {
		return slices.Contains(u.Groups, s.name)
	}
	name := s.user(namespace)
	return name != "" && name == u.Name
}

// describe describes a binding that applies to a user.
func (b *binding) describe(u *User) string {
	kind, name := "ClusterRoleBinding", b.name
	if b.namespace != "" {
		kind, name = "RoleBinding", b.name+"/"+b.namespace
	}
	whom := ""
	if n := slices.IndexFunc(b.subjects, func(s subject) bool { return s.is(u, b.namespace) }); n >= 0 {
		s := b.subjects[n]
		whom = s.name
		if s.kind == "ServiceAccount" {
			whom += "/" + cmp.Or(s.namespace, b.namespace)
		}
		whom = fmt.Sprintf(" to %s %q", s.kind, whom)
	}
	return fmt.Sprintf("%s %q of %s %q%s", kind, name, b.role.kind, b.role.name, whom)
}

// bindingsOf returns the bindings of a scope that apply to a user, by name.
func (s *scope) bindingsOf(u *User) []*binding {
	if s == nil {
		return nil
	}
	list := slices.Clone(s.users[u.Name])
	for _, group := range u.Groups {
		list = append(list, s.groups[group]...)
	}
	if len(list) > 1 {
		slices.SortFunc(list, func(a, b *binding) int { return cmp.Compare(a.name, b.name) })
		list = slices.Compact(list)
	}
	return list
}

// errMissing returns the error for a binding whose role does not exist.
func errMissing(role roleRef) error {
	return fmt.Errorf("%s.%s %q not found", strings.ToLower(role.kind), Group, role.name)
}

// rulesOf returns the rules of the role that a binding in a namespace refers to.
func (r *RBAC) rulesOf(role roleRef, namespace string) ([]Rule, error) {
	switch role.kind {
	case "ClusterRole":
		namespace = ""
	case "Role":
		if namespace == "" {
			return nil, errMissing(role)
		}
	default:
		return nil, fmt.Errorf("unsupported role reference kind: %q", role.kind)
	}
	rules, ok := r.roles[namespacedName{namespace, role.name}]
	if !ok {
		return nil, errMissing(role)
	}
	return rules, nil
}

// visit calls yield with the rules of each binding that applies to a user in a namespace, until it
// returns false: first those of the cluster.
func (r *RBAC) visit(u *User, namespace string, yield func(*binding, []Rule, error) bool) {
	for _, b := range r.scopes[""].bindingsOf(u) {
		if rules, err := r.rulesOf(b.role, ""); !yield(b, rules, err) {
			return
		}
	}
	if namespace == "" {
		return
	}
	for _, b := range r.scopes[namespace].bindingsOf(u) {
		if rules, err := r.rulesOf(b.role, namespace); !yield(b, rules, err) {
			return
		}
	}
}

// Authorize allows a request if a rule allows it, or if the user is in system:masters.
func (r *RBAC) Authorize(a Attributes) (allowed bool, reason string) {
	if slices.Contains(a.User.Groups, Masters) {
		return true, ""
	}
	if r.Restrict != nil {
		if reason := r.Restrict(&a); reason != "" {
			return false, reason
		}
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	var missing []error
	r.visit(a.User, a.Namespace, func(b *binding, rules []Rule, err error) bool {
		if err != nil {
			missing = append(missing, err)
		}
		for i := range rules {
			if rules[i].allows(&a) {
				allowed, reason = true, "RBAC: allowed by "+b.describe(a.User)
				return false
			}
		}
		return true
	})
	if !allowed && len(missing) > 0 {
		reason = "RBAC: " + aggregate(missing).Error()
	}
	return allowed, reason
}

// RulesFor returns the rules of all bindings that apply to a user in a namespace.
func (r *RBAC) RulesFor(u *User, namespace string) (rules []Rule, err error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var missing []error
	r.visit(u, namespace, func(_ *binding, granted []Rule, err error) bool {
		if err != nil {
			missing = append(missing, err)
		}
		rules = append(rules, granted...)
		return true
	})
	return rules, aggregate(missing)
}

// BoundIn returns the namespaces with bindings that apply to a user, in order.
func (r *RBAC) BoundIn(u *User) (namespaces []string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for name, s := range r.scopes {
		if name != "" && len(s.bindingsOf(u)) > 0 {
			namespaces = append(namespaces, name)
		}
	}
	slices.Sort(namespaces)
	return namespaces
}

// BoundRules returns the rules that a binding grants in a namespace, which is empty for a
// ClusterRoleBinding. ok is false if its role does not exist.
func (r *RBAC) BoundRules(binding map[string]any, namespace string) (rules []Rule, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	rules, err := r.rulesOf(roleRefOf(binding), namespace)
	return rules, err == nil
}

// aggregate joins errors, without duplicates; nil for none.
func aggregate(list []error) error {
	if len(list) == 0 {
		return nil
	}
	texts := make([]string, len(list))
	for i, err := range list {
		texts[i] = err.Error()
	}
	return errors.New(field.Aggregate(texts))
}
