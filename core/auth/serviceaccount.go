package auth

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
)

const serviceAccountPrefix = "system:serviceaccount:"

// ServiceAccountName returns the user name of a service account.
func ServiceAccountName(namespace, name string) string {
	return serviceAccountPrefix + namespace + ":" + name
}

// ServiceAccountGroups returns the groups of the service accounts of a namespace.
func ServiceAccountGroups(namespace string) []string {
	return []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}
}

// Node returns the name of the node on which a service account's pod runs; empty if that is not known, or if
// the user is something else.
func (u *User) Node() string {
	_, _, ok := SplitServiceAccount(u.Name)
	if names := u.Extra[authenticationGroupExtra+"node-name"]; ok && len(names) == 1 {
		return names[0]
	}
	return ""
}

// SplitServiceAccount returns the namespace and name of the service account that a user name stands
// for.
func SplitServiceAccount(user string) (namespace, name string, ok bool) {
	rest, ok := strings.CutPrefix(user, serviceAccountPrefix)
	if !ok {
		return "", "", false
	}
	parts := strings.Split(rest, ":")
	if len(parts) != 2 || syntax.Label(parts[0]) != nil || syntax.Subdomain(parts[1]) != nil {
		return "", "", false
	}
	return parts[0], parts[1], true
}
