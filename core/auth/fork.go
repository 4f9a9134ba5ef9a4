package auth

import (
	"maps"
	"slices"
)

// Fork gives an authorizer without roles those of another one, which they share until either changes.
func (r *RBAC) Fork(from *RBAC) {
	from.mu.Lock()
	defer from.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.roles, r.scopes = from.roles, from.scopes
	r.shared, from.shared = true, true
}

// own makes what is shared with others the authorizer's own. Callers hold the lock.
func (r *RBAC) own() {
	if !r.shared {
		return
	}
	r.shared, r.roles = false, maps.Clone(r.roles)
	scopes := make(map[string]*scope, len(r.scopes))
	for name, s := range r.scopes {
		scopes[name] = &scope{maps.Clone(s.bindings), own(s.users), own(s.groups)}
	}
	r.scopes = scopes
}

func own(bindings map[string][]*binding) map[string][]*binding {
	copied := make(map[string][]*binding, len(bindings))
	for name, list := range bindings {
		copied[name] = slices.Clone(list)
	}
	return copied
}
