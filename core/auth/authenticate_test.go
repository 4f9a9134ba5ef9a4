package auth_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/auth"
)

// robots verifies the tokens that begin with "robot": "robot-old" is too old.
type robots struct{}

func (robots) Verify(token string) (*auth.User, []string, error) {
	switch {
	case token == "robot-old":
		return nil, nil, errors.New("service account token has expired")
	case strings.HasPrefix(token, "robot"):
		return &auth.User{Name: "system:serviceaccount:n:robot", Groups: auth.ServiceAccountGroups("n")},
			[]string{token[len("robot-"):]}, nil
	}
	return nil, nil, nil
}

func TestAuthenticate(t *testing.T) {
	a := auth.Authenticator{
		Tokens: map[string]*auth.User{"t": {Name: "jane", Groups: []string{"g"}},
			"in": {Name: "in", Groups: []string{auth.Authenticated}}},
		Verifier: robots{}, WithoutCredentials: auth.Anonymous,
	}
	closed, lenient := a, a
	closed.WithoutCredentials = nil
	lenient.WithoutCredentials, lenient.Lenient = auth.Admin, true
	const anonymous, admin = "system:anonymous [system:unauthenticated]", "admin [system:masters system:authenticated]"
	for _, c := range []struct {
		name          string
		authenticator auth.Authenticator
		header, want  string // want is empty for a 401
	}{
		{"a token", a, "Bearer t", "jane [g system:authenticated]"},
		{"lower case", a, "bearer t", "jane [g system:authenticated]"},
		{"more words", a, "Bearer t and more", "jane [g system:authenticated]"},
		{"already in the group", a, "Bearer in", "in [system:authenticated]"},
		{"an unknown token", a, "Bearer x", ""},
		{"none", a, "", anonymous},
		{"none, which is not allowed", closed, "", ""},
		{"another scheme", a, "Basic dDp0", anonymous},
		{"another scheme, where there must be one", closed, "Basic dDp0", ""},
		{"two spaces", a, "Bearer  t", anonymous},
		{"a tab", a, "Bearer\tt", anonymous},
		{"a service account", a, "Bearer robot-" + auth.Audience,
			"system:serviceaccount:n:robot [system:serviceaccounts system:serviceaccounts:n system:authenticated]"},
		{"a service account's for others", a, "Bearer robot-vault", ""},
		{"a service account's that is too old", a, "Bearer robot-old", ""},
		{"everybody is admin", lenient, "", admin},
		{"everybody is admin, with a token", lenient, "Bearer t", "jane [g system:authenticated]"},
		{"everybody is admin, with an unknown token", lenient, "Bearer x", admin},
	} {
		warned := ""
		u, err := c.authenticator.Authenticate(auth.Credentials{Authorization: c.header}, func(text string) { warned = text })
		got := ""
		if err == nil {
			got = fmt.Sprint(u.Name, " ", u.Groups)
		}
		if got != c.want || (warned != "") != (c.name == "two spaces") {
			t.Errorf("%s: got %q, %v, warned %q; want %q", c.name, got, err, warned, c.want)
		}
	}
}

func TestReview(t *testing.T) {
	a := auth.Authenticator{
		Tokens: map[string]*auth.User{"t": {Name: "jane"}}, Verifier: robots{}, WithoutCredentials: auth.Anonymous,
	}
	for _, c := range []struct {
		token     string
		audiences []string
		want      string
	}{
		{"t", nil, "jane [" + auth.Audience + "]"},
		{"t", []string{"x"}, "invalid bearer token"},
		{"robot-x", []string{"w", "x"}, "system:serviceaccount:n:robot [x]"},
		{"robot-x", nil, "invalid bearer token"},
		{"robot-old", nil, "service account token has expired"},
		{"nope", nil, "invalid bearer token"},
	} {
		u, audiences, err := a.Review(c.token, c.audiences)
		got := ""
		if err != nil {
			got = err.Error()
		} else if u != nil {
			got = fmt.Sprint(u.Name, " ", audiences)
		}
		if got != c.want {
			t.Errorf("%s for %v: got %q, want %q", c.token, c.audiences, got, c.want)
		}
	}
}

// only allows just one request: "VERB GROUP/RESOURCE NAME".
type only []string

func (o only) Authorize(a auth.Attributes) (bool, string) {
	return slices.Contains(o, a.Verb+" "+a.Group+"/"+a.Resource+" "+a.Name), ""
}

func (only) RulesFor(*auth.User, string) ([]auth.Rule, error) { return nil, nil }

func TestImpersonate(t *testing.T) {
	const plain, on = "impersonate ", "impersonate-on:user-info:get /pods p"
	for _, c := range []struct {
		name    string
		headers string // NAME=VALUE, joined by spaces
		rights  only
		want    string
	}{
		{"a user", "User=jane", only{plain + "/users jane"}, "jane [system:authenticated]"},
		{"in groups", "User=jane Group=b Group=a", only{plain + "/users jane", plain + "/groups a", plain + "/groups b"},
			"jane [b a system:authenticated]"},
		{"the anonymous one", "User=system:anonymous", only{plain + "/users system:anonymous"},
			"system:anonymous [system:unauthenticated]"},
		{"a service account", "User=system:serviceaccount:n:r", only{plain + "/serviceaccounts r"},
			"system:serviceaccount:n:r [system:serviceaccounts system:serviceaccounts:n system:authenticated]"},
		{"who looks like one", "User=system:serviceaccount:only-two", only{plain + "/users system:serviceaccount:only-two"},
			"system:serviceaccount:only-two [system:authenticated]"},
		{"without the right", "User=jane", nil,
			`pods "p" is forbidden: User "me" cannot impersonate-on:user-info:get resource "pods" in API group "" in the ` +
				`namespace "n"`},
		{"by the bound verbs", "User=jane", only{on, "impersonate:user-info authentication.k8s.io/users jane"},
			"jane [system:authenticated]"},
		{"by one of the bound verbs", "User=jane", only{on},
			`users.authentication.k8s.io "jane" is forbidden: User "me" cannot impersonate:user-info resource "users" in ` +
				`API group "authentication.k8s.io" at the cluster scope`},
		{"masters by the bound verbs", "User=jane Group=system:masters",
			only{on, "impersonate:user-info authentication.k8s.io/users jane"},
			`groups.authentication.k8s.io "system:masters" is forbidden: User "me" cannot impersonate:user-info resource ` +
				`"groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is ` +
				`not allowed`},
		{"an empty group by the bound verbs", "User=jane Group=system:masters Group=",
			only{on, "impersonate:user-info authentication.k8s.io/users jane"},
			`groups.authentication.k8s.io is forbidden: User "me" cannot impersonate:user-info resource ` +
				`"groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the empty string group is ` +
				`not allowed`},
		{"all groups by the bound verbs", "User=jane Group=a Group=b Group=c Group=d",
			only{on, "impersonate:user-info authentication.k8s.io/users jane",
				"impersonate:user-info authentication.k8s.io/groups *"},
			"jane [a b c d system:authenticated]"},
		{"extra without a domain by the bound verbs", "User=jane Extra-scopes=view",
			only{on, "impersonate:user-info authentication.k8s.io/users jane",
				"impersonate:user-info authentication.k8s.io/userextras view"},
			`userextras.authentication.k8s.io is forbidden: User "me" cannot impersonate:user-info resource "userextras" ` +
				`in API group "authentication.k8s.io" at the cluster scope: impersonating an invalid key in extra is not ` +
				`allowed: extra.key: Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")`},
		{"extra by the bound verbs", "User=jane Extra-acme.io%2Fscopes=view",
			only{on, "impersonate:user-info authentication.k8s.io/users jane",
				"impersonate:user-info authentication.k8s.io/userextras view"},
			"jane [system:authenticated]"},
		{"extra by the plain verb", "User=jane Extra-scopes=view", only{plain + "/users jane",
			plain + "authentication.k8s.io/userextras view"}, "jane [system:authenticated]"},
		{"a node by the bound verbs", "User=system:node:a",
			only{"impersonate-on:arbitrary-node:get /pods p", "impersonate:arbitrary-node authentication.k8s.io/nodes a"},
			"system:node:a [system:nodes system:authenticated]"},
		{"no user", "Group=g", nil, `requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, ` +
			`Extra:map[string][]string(nil)} without impersonating a user name`},
		{"nothing", "", nil, "nobody"},
	} {
		h := http.Header{}
		for _, word := range strings.Fields(c.headers) {
			name, value, _ := strings.Cut(word, "=")
			h.Add("Impersonate-"+name, value)
		}
		request := auth.Attributes{User: &auth.User{Name: "me"}, Verb: "get", IsResource: true, Resource: "pods",
			Namespace: "n", Name: "p"}
		got := "nobody"
		u, err := auth.Wanted(h)
		if u != nil {
			if len(h) > 0 {
				t.Errorf("%s: left in the headers: %v", c.name, h)
			}
			u, err = new(auth.Impersonation).Impersonate(request, u, c.rights)
		}
		switch {
		case err != nil:
			got = err.Error()
		case u != nil:
			got = fmt.Sprint(u.Name, " ", u.Groups)
		}
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestImpersonationRemembers checks that an error is about the mode that was allowed before.
func TestImpersonationRemembers(t *testing.T) {
	var m auth.Impersonation
	request := auth.Attributes{User: &auth.User{Name: "me"}, Verb: "get", Path: "/"}
	if _, err := m.Impersonate(request, &auth.User{Name: "jane"}, only{"impersonate /users jane"}); err != nil {
		t.Fatal(err)
	}
	_, err := m.Impersonate(request, &auth.User{Name: "bob"}, only{})
	if want := `users "bob" is forbidden: User "me" cannot impersonate resource "users" in API group "" at the ` +
		`cluster scope`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
