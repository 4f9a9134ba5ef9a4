package auth

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/status"
)

// authenticationGroup is the API group of the resources of impersonation; for the plain verb,
// users, groups and service accounts are in the core group.
const authenticationGroup = "authentication.k8s.io"

const (
	impersonateUser  = "Impersonate-User"
	impersonateUID   = "Impersonate-Uid"
	impersonateGroup = "Impersonate-Group"
	impersonateExtra = "Impersonate-Extra-"
)

// Impersonation lets users impersonate others. The zero value is ready.
//
// There are several modes (KEP 5284): the plain verb impersonate, and, tried before it, constrained
// verbs that depend on the kind of user and on the request that is made.
type Impersonation struct {
	mu sync.Mutex
	// last is the mode that each user used last. It is tried first, and if no mode is allowed, the
	// error is about it.
	last map[string]int
}

// maxRemembered bounds Impersonation.last.
const maxRemembered = 10_000

// Wanted returns the user that the headers of a request ask for; nil if none. It removes the
// headers. The error is a 400.
func Wanted(h http.Header) (*User, error) {
	var u User // which most requests do not name
	if values := h[impersonateUser]; len(values) > 0 {
		u.Name = values[0]
	}
	if values := h[impersonateUID]; len(values) > 0 {
		u.UID = values[0]
	}
	u.Groups = h[impersonateGroup]
	extra := false
	for name, values := range h {
		key, ok := strings.CutPrefix(name, impersonateExtra)
		if !ok {
			continue
		}
		extra = true
		key = strings.ToLower(key)
		if unescaped, err := url.PathUnescape(key); err == nil {
			key = unescaped
		}
		if u.Extra == nil {
			u.Extra = map[string][]string{}
		}
		u.Extra[key] = append(u.Extra[key], values...)
	}
	if u.Name == "" {
		if u.UID != "" || len(u.Groups) > 0 || extra {
			return nil, status.NewBadRequest(fmt.Sprintf(
				"requested &user.DefaultInfo{Name:%#v, UID:%#v, Groups:%#v, Extra:%#v} without impersonating a user name",
				u.Name, u.UID, u.Groups, u.Extra))
		}
		return nil, nil
	}
	maps.DeleteFunc(h, func(name string, _ []string) bool {
		return name == impersonateUser || name == impersonateUID || name == impersonateGroup ||
			strings.HasPrefix(name, impersonateExtra)
	})
	named := u
	return &named, nil
}

// An impersonationMode is one mode of impersonation. The plain one has no mode name.
type impersonationMode struct {
	name string
	// fits reports whether the mode applies to a pair of users; nil: always.
	fits func(wanted, requestor *User) bool
}

// impersonationModes are the modes, the narrowest first.
var impersonationModes = []impersonationMode{
	{"associated-node", func(wanted, requestor *User) bool {
		node, ok := nodeName(wanted.Name)
		return ok && onlyName(wanted) && node == requestor.Node()
	}},
	{"arbitrary-node", func(wanted, _ *User) bool {
		_, ok := nodeName(wanted.Name)
		return ok && onlyName(wanted)
	}},
	{"serviceaccount", func(wanted, _ *User) bool {
		_, _, ok := SplitServiceAccount(wanted.Name)
		return ok && onlyName(wanted)
	}},
	{"user-info", func(wanted, _ *User) bool {
		_, node := nodeName(wanted.Name)
		_, _, robot := SplitServiceAccount(wanted.Name)
		return !node && !robot
	}},
	{},
}

// authenticationGroupExtra is the prefix of the keys of a service account's extra.
const authenticationGroupExtra = "authentication.kubernetes.io/"

func onlyName(u *User) bool { return u.UID == "" && len(u.Groups) == 0 && len(u.Extra) == 0 }

// nodeName returns the name of the node that a user belongs to.
func nodeName(user string) (string, bool) {
	name, ok := strings.CutPrefix(user, "system:node:")
	return name, ok && syntax.Subdomain(name) == nil
}

// Impersonate returns the user of a request that impersonates the wanted user. The error is a 403.
func (m *Impersonation) Impersonate(request Attributes, wanted *User, authorizer Authorizer) (*User, error) {
	requestor := request.User.Name
	last, known := m.lastOf(requestor)
	order := []int{0, 1, 2, 3, 4}
	if known {
		order = append([]int{last}, slices.Delete(order, last, last+1)...)
	}
	var first error
	for _, n := range order {
		w := impersonationModes[n]
		if w.fits != nil && !w.fits(wanted, request.User) {
			continue
		}
		u, err := w.try(request, wanted, authorizer)
		if err == nil {
			if !known || n != last {
				m.remember(requestor, n)
			}
			return u, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func (m *Impersonation) lastOf(user string) (int, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.last[user]
	return n, ok
}

func (m *Impersonation) remember(user string, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last == nil || len(m.last) >= maxRemembered {
		m.last = map[string]int{}
	}
	m.last[user] = n
}

// try checks one mode: every part of the wanted user has to be allowed.
func (w impersonationMode) try(request Attributes, wanted *User, authorizer Authorizer) (*User, error) {
	what := Attributes{User: request.User, Verb: "impersonate", IsResource: true}
	if w.name != "" {
		if err := request.As("impersonate-on:" + w.name + ":" + request.Verb).Check(authorizer); err != nil {
			return nil, err
		}
		what.Verb += ":" + w.name
		what.Group = authenticationGroup
	}
	check := func(group, resource, sub, namespace, name string) error {
		a := what
		a.Group, a.Resource, a.Subresource, a.Namespace, a.Name = group, resource, sub, namespace, name
		return a.Check(authorizer)
	}
	u := *wanted
	var err error
	namespace, name, robot := SplitServiceAccount(u.Name)
	node, isNode := nodeName(u.Name)
	switch {
	case robot:
		if len(u.Groups) == 0 {
			u.Groups = ServiceAccountGroups(namespace)
		}
		err = check(what.Group, "serviceaccounts", "", namespace, name)
	case isNode && w.name != "":
		u.Groups = []string{"system:nodes"}
		if w.name == impersonationModes[0].name {
			node = "*"
		}
		err = check(what.Group, "nodes", "", "", node)
	default:
		err = check(what.Group, "users", "", "", u.Name)
	}
	if err == nil && u.UID != "" {
		err = check(authenticationGroup, "uids", "", "", u.UID)
	}
	constrained := w.name != ""
	all := func(n int, group, resource, sub string) bool {
		return constrained && n >= manyChecks && check(group, resource, sub, "", "*") == nil
	}
	if err == nil && constrained {
		err = what.oddGroups(wanted.Groups)
	}
	if err == nil && !all(len(wanted.Groups), what.Group, "groups", "") {
		for _, group := range wanted.Groups {
			if err == nil {
				err = check(what.Group, "groups", "", "", group)
			}
		}
	}
	keys, values := slices.Sorted(maps.Keys(u.Extra)), 0
	for _, key := range keys {
		values += len(u.Extra[key])
		if err == nil && constrained {
			err = what.oddExtra(key, u.Extra[key])
		}
	}
	if err == nil && !all(values, authenticationGroup, "userextras", "*") {
		for _, key := range keys {
			for _, value := range u.Extra[key] {
				if err == nil {
					err = check(authenticationGroup, "userextras", key, "", value)
				}
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if u.Name == anonymous && !slices.Contains(u.Groups, Unauthenticated) {
		u.Groups = append(slices.Clone(u.Groups), Unauthenticated)
	}
	return u.authenticated(), nil
}

// manyChecks is from how many groups or values of extra on the constrained modes ask for all of them at once first.
const manyChecks = 4

// oddGroups returns the 403 of groups that the constrained modes let no one impersonate.
func (a Attributes) oddGroups(groups []string) error {
	a.Resource = "groups"
	switch {
	case slices.Contains(groups, ""):
		return a.Forbidden("impersonating the empty string group is not allowed")
	case slices.Contains(groups, Masters):
		a.Name = Masters
		return a.Forbidden("impersonating the " + Masters + " group is not allowed")
	}
	return nil
}

// oddExtra is oddGroups for the values of a key of extra.
func (a Attributes) oddExtra(key string, values []string) error {
	a.Resource = "userextras"
	switch violations := syntax.PrefixedPath(key, "extra.key"); {
	case key == "":
		return a.Forbidden("impersonating the empty string key in extra is not allowed")
	case len(violations) > 0:
		return a.Forbidden("impersonating an invalid key in extra is not allowed: " + violations.Message())
	case key != strings.ToLower(key):
		return a.Forbidden(fmt.Sprintf("impersonating a non-lowercase key in extra is not allowed: %q", key))
	case slices.Contains(values, ""):
		return a.Forbidden("impersonating the empty string value in extra is not allowed")
	}
	return nil
}
