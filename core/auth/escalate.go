package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Grants returns an error if a user may not grant rules in a namespace, because they do not have
// all of them themselves; otherwise nil.
func Grants(u *User, namespace string, rules []Rule, authorizer Authorizer) error {
	held, unknown := authorizer.RulesFor(u, namespace)
	missing := Missing(held, rules)
	if len(missing) == 0 {
		return nil
	}
	var lines []string
	for _, rule := range missing {
		lines = append(lines, rule.String())
	}
	slices.Sort(lines)
	message := fmt.Sprintf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s",
		u.Name, u.Groups, strings.Join(slices.Compact(lines), "\n"))
	if unknown != nil {
		message += fmt.Sprintf("; resolution errors: [%v]", unknown)
	}
	return errors.New(message)
}

// GrantsEverything reports whether a user may grant any rights, as an aggregated role may come to
// have.
func GrantsEverything(u *User, authorizer Authorizer) bool {
	return Grants(u, "", everything, authorizer) == nil
}
