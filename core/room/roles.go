package room

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/object"
)

// A role is what members may do.
type role struct {
	name string
	// clusterRoles are bound to the role's group. Aggregated ClusterRoles have no rules until a
	// controller fills them, so the ClusterRoles that they aggregate are bound too: a room works at
	// once, and with controllers switched off.
	clusterRoles []string
}

// Teacher is the role that may do everything, also while the room is frozen.
const Teacher = "teacher"

// roles are all of them.
var roles = []role{
	{Teacher, []string{"cluster-admin"}},
	{"learner", editing},
	{"spectator", viewing},
	{"program", editing},
}

var (
	viewing = []string{"view", "system:aggregate-to-view"}
	editing = append([]string{"edit", "system:aggregate-to-edit"}, viewing...)
)

// The groups of members and of users with an invitation; the ClusterRoles that are bound to them
// have the same names.
const (
	membersGroup = group + ":members"
	invitedGroup = group + ":invited"
	usageRole    = membersGroup + ":usage"
	windowsRole  = membersGroup + ":windows"
)

// roleNames returns the names of the roles.
func roleNames() []string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = r.name
	}
	return names
}

// groupOf returns the group of a role's members.
func groupOf(role string) string { return group + ":" + role }

// isTeacher reports whether a user is a teacher or the administrator, as which the server itself
// writes.
func isTeacher(u *auth.User) bool {
	return slices.Contains(u.Groups, groupOf(Teacher)) || slices.Contains(u.Groups, auth.Masters)
}

// Restrict says why a request of a member is not allowed although the roles may allow it. The role edit
// in the whole cluster would let learners act as the service accounts of kube-system, and those of
// some controllers may do everything.
func Restrict(a *auth.Attributes) (reason string) {
	switch {
	case !slices.Contains(a.User.Groups, membersGroup) || isTeacher(a.User):
	case strings.HasPrefix(a.Verb, "impersonate"):
		return "in a room only teachers may impersonate other users"
	case strings.HasPrefix(a.Namespace, "kube-") && !slices.Contains([]string{"get", "list", "watch"}, a.Verb):
		return "in a room only teachers write in the namespaces of the system"
	}
	return ""
}

// Objects returns the initial objects of a room: the Room, and ClusterRoles with their bindings.
// They refer to the default ClusterRoles of RBAC.
func Objects() []map[string]any {
	all := []map[string]any{
		{"apiVersion": apiVersion, "kind": Rooms.Kind, "metadata": map[string]any{"name": Name},
			"spec": map[string]any{"frozen": false}},
		clusterRole(membersGroup,
			rule([]string{"get", "list", "watch"}, Rooms.Plural, Members.Plural, "controlplanes"),
			rule([]string{"get"}, "controlplanes/revisions", Rooms.Plural+"/follow", Rooms.Plural+"/relay"),
			rule([]string{"create"}, Rooms.Plural+"/report", Rooms.Plural+"/show",
				Members.Plural+"/leave", Members.Plural+"/rename")),
		binding(membersGroup, membersGroup, membersGroup),
		// What came later has its own role, so that older rooms get it too.
		clusterRole(usageRole, rule([]string{"get"}, Rooms.Plural+"/usage")),
		binding(usageRole, usageRole, membersGroup),
		clusterRole(windowsRole, rule([]string{"get"}, "controlplanes/windows")),
		binding(windowsRole, windowsRole, membersGroup),
		clusterRole(invitedGroup, rule([]string{"create"}, Rooms.Plural+"/join")),
		binding(invitedGroup, invitedGroup, invitedGroup),
	}
	for _, r := range roles {
		for _, bound := range r.clusterRoles {
			all = append(all, binding(groupOf(r.name)+":"+bound, bound, groupOf(r.name)))
		}
	}
	return all
}

func clusterRole(name string, rules ...any) map[string]any {
	return map[string]any{
		"apiVersion": auth.Group + "/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": name},
		"rules": rules,
	}
}

// rule returns a rule that allows verbs on resources of the sandbox group.
func rule(verbs []string, resources ...string) any {
	return map[string]any{
		"apiGroups": []any{group}, "resources": object.ListOf(resources), "verbs": object.ListOf(verbs),
	}
}

func binding(name, clusterRole, group string) map[string]any {
	return map[string]any{
		"apiVersion": auth.Group + "/v1", "kind": "ClusterRoleBinding", "metadata": map[string]any{"name": name},
		"roleRef": map[string]any{"apiGroup": auth.Group, "kind": "ClusterRole", "name": clusterRole},
		"subjects": []any{
			map[string]any{"apiGroup": auth.Group, "kind": "Group", "name": group},
		},
	}
}
