package auth_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
)

// parse reads an object in JSON.
var parse = objecttest.Parse

// small returns a cluster with some roles and bindings.
func small(t testing.TB) *auth.RBAC {
	r := &auth.RBAC{}
	r.Set("roles", "ns/reader", parse(t,
		`{"rules":[{"apiGroups":[""],"resources":["pods","pods/log"],"verbs":["get","list"]},
		{"apiGroups":[""],"resources":["configmaps"],"resourceNames":["one"],"verbs":["update"]}]}`))
	r.Set("clusterroles", "statuses", parse(t, `{"rules":[{"apiGroups":["*"],"resources":["*/status"],"verbs":["*"]}]}`))
	r.Set("clusterroles", "urls", parse(t, `{"rules":[{"nonResourceURLs":["/logs/*","/metrics"],"verbs":["get"]}]}`))
	r.Set("rolebindings", "ns/readers", parse(t, `{"roleRef":{"kind":"Role","name":"reader"},"subjects":[
		{"kind":"User","name":"jane"},{"kind":"ServiceAccount","name":"robot"},
		{"kind":"ServiceAccount","name":"robot","namespace":"other"}]}`))
	r.Set("rolebindings", "ns/statuses",
		parse(t, `{"roleRef":{"kind":"ClusterRole","name":"statuses"},"subjects":[{"kind":"Group","name":"team"}]}`))
	r.Set("rolebindings", "ns/later",
		parse(t, `{"roleRef":{"kind":"Role","name":"later"},"subjects":[{"kind":"User","name":"late"}]}`))
	r.Set("clusterrolebindings", "urls",
		parse(t, `{"roleRef":{"kind":"ClusterRole","name":"urls"},"subjects":[{"kind":"Group","name":"team"}]}`))
	return r
}

func TestAuthorize(t *testing.T) {
	r := small(t)
	const no = ""
	for _, c := range []struct {
		user, groups, verb, what, reason string
	}{
		{"jane", "", "get", "ns:pods", `RBAC: allowed by RoleBinding "readers/ns" of Role "reader" to User "jane"`},
		{"jane", "", "get", "ns:pods/log", `RBAC: allowed by RoleBinding "readers/ns" of Role "reader" to User "jane"`},
		{"system:serviceaccount:ns:robot", "", "list", "ns:pods",
			`RBAC: allowed by RoleBinding "readers/ns" of Role "reader" to ServiceAccount "robot/ns"`},
		{"system:serviceaccount:other:robot", "", "list", "ns:pods",
			`RBAC: allowed by RoleBinding "readers/ns" of Role "reader" to ServiceAccount "robot/other"`},
		{"jane", "", "get", "ns:pods/exec", no},
		{"jane", "", "GET", "ns:pods", no},
		{"jane", "", "delete", "ns:pods", no},
		{"jane", "", "get", "elsewhere:pods", no},
		{"jane", "", "get", ":pods", no},
		{"jane", "", "get", "ns:pods.apps", no},
		{"jane", "", "update", "ns:configmaps=one",
			`RBAC: allowed by RoleBinding "readers/ns" of Role "reader" to User "jane"`},
		{"jane", "", "update", "ns:configmaps=two", no},
		{"jane", "", "update", "ns:configmaps", no},
		{"bob", "a,team", "patch", "ns:deployments/status.apps",
			`RBAC: allowed by RoleBinding "statuses/ns" of ClusterRole "statuses" to Group "team"`},
		{"bob", "team", "patch", "ns:deployments.apps", no},
		{"bob", "team", "get", "/metrics",
			`RBAC: allowed by ClusterRoleBinding "urls" of ClusterRole "urls" to Group "team"`},
		{"bob", "team", "get", "/logs/x/y",
			`RBAC: allowed by ClusterRoleBinding "urls" of ClusterRole "urls" to Group "team"`},
		{"bob", "team", "get", "/logs", no},
		{"bob", "team", "post", "/metrics", no},
		{"late", "", "get", "ns:pods", `! RBAC: role.rbac.authorization.k8s.io "later" not found`},
		{"anybody", "system:masters", "delete", ":nodes=x", "all"},
		{"system:masters", "", "delete", ":nodes=x", no},
	} {
		a := auth.Attributes{User: &auth.User{Name: c.user}, Verb: c.verb}
		if c.groups != "" {
			a.User.Groups = strings.Split(c.groups, ",")
		}
		if strings.HasPrefix(c.what, "/") {
			a.Path = c.what
		} else {
			a.IsResource = true
			a.Namespace, a.Resource, _ = strings.Cut(c.what, ":")
			a.Resource, a.Name, _ = strings.Cut(a.Resource, "=")
			a.Resource, a.Group, _ = strings.Cut(a.Resource, ".")
			a.Resource, a.Subresource, _ = strings.Cut(a.Resource, "/")
		}
		allowed, reason := r.Authorize(a)
		got := reason
		switch {
		case allowed && reason == "":
			got = "all"
		case !allowed && reason != "":
			got = "! " + reason
		}
		if got != c.reason {
			t.Errorf("%s (%s) %s %s:\ngot  %s\nwant %s", c.user, c.groups, c.verb, c.what, got, c.reason)
		}
	}
}

// TestSet changes and removes roles and bindings: nothing of the old ones may remain.
func TestSet(t *testing.T) {
	r := small(t)
	may := func(user string) bool {
		allowed, _ := r.Authorize(auth.Attributes{User: &auth.User{Name: user}, Verb: "get", IsResource: true,
			Namespace: "ns", Resource: "pods"})
		return allowed
	}
	r.Set("rolebindings", "ns/readers",
		parse(t, `{"roleRef":{"kind":"Role","name":"reader"},"subjects":[{"kind":"User","name":"bob"},{"kind":"User",`+
			`"name":"bob"}]}`))
	if may("jane") || !may("bob") {
		t.Errorf("after a change of the subjects: jane %v, bob %v", may("jane"), may("bob"))
	}
	r.Set("roles", "ns/reader", nil)
	if may("bob") {
		t.Error("a role that is gone gives something")
	}
	r.Set("roles", "ns/reader", parse(t, `{"rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]}`))
	if !may("bob") {
		t.Error("a role that is there again gives nothing")
	}
	r.Set("rolebindings", "ns/readers", nil)
	if may("bob") {
		t.Error("a binding that is gone gives something")
	}
}

func TestGrants(t *testing.T) {
	r := small(t)
	jane, team := &auth.User{Name: "jane", Groups: []string{"a", "b"}}, &auth.User{Name: "x", Groups: []string{"team"}}
	for _, c := range []struct {
		name  string
		user  *auth.User
		rules string
		lines string // what is missing; empty: nothing
	}{
		{"held", jane, `[{"apiGroups":[""],"resources":["pods/log","pods"],"verbs":["list","get"]}]`, ""},
		{"verbs of one resource together", jane,
			`[{"apiGroups":[""],"resources":["events","pods"],"verbs":["update","get"]},{"apiGroups":[""],` +
				`"resources":["events"],"verbs":["delete"]}]`,
			`{APIGroups:[""], Resources:["events"], Verbs:["update" "get" "delete"]}` + "\n" +
				`{APIGroups:[""], Resources:["pods"], Verbs:["update"]}`},
		{"a name held", jane, `[{"apiGroups":[""],"resources":["configmaps"],"verbs":["update"],"resourceNames":["one"]}]`,
			""},
		{"all names", jane, `[{"apiGroups":[""],"resources":["configmaps"],"verbs":["update"]}]`,
			`{APIGroups:[""], Resources:["configmaps"], Verbs:["update"]}`},
		{"another name", jane, `[{"apiGroups":[""],"resources":["configmaps"],"verbs":["update"],"resourceNames":["one",` +
			`"two"]}]`,
			`{APIGroups:[""], Resources:["configmaps"], ResourceNames:["two"], Verbs:["update"]}`},
		{"URLs", team, `[{"nonResourceURLs":["/logs/a","/logs","/metrics"],"verbs":["get","post"]}]`,
			`{NonResourceURLs:["/logs"], Verbs:["get"]}` + "\n" + `{NonResourceURLs:["/logs"], Verbs:["post"]}` + "\n" +
				`{NonResourceURLs:["/logs/a"], Verbs:["post"]}` + "\n" + `{NonResourceURLs:["/metrics"], Verbs:["post"]}`},
		{"a subresource of all", team, `[{"apiGroups":["apps"],"resources":["deployments/status","*/status"],"verbs":["*"]}]`,
			""},
		{"stars", team, `[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]`,
			`{APIGroups:["*"], Resources:["*"], Verbs:["*"]}`},
	} {
		err := auth.Grants(c.user, "ns", auth.RulesOf(parse(t, `{"rules":`+c.rules+`}`)), r)
		_, got, _ := strings.Cut(errText(err), "\n")
		if got != c.lines {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.name, got, c.lines)
		}
		if err != nil && c.user == jane &&
			!strings.HasPrefix(err.Error(),
				`user "jane" (groups=["a" "b"]) is attempting to grant RBAC permissions not currently held:`) {
			t.Error(err)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// BenchmarkAuthorize asks about a user with one binding among ten thousand.
func BenchmarkAuthorize(b *testing.B) {
	r := small(b)
	for _, obj := range auth.Defaults() {
		resource := map[string]string{"Role": "roles", "ClusterRole": "clusterroles", "RoleBinding": "rolebindings",
			"ClusterRoleBinding": "clusterrolebindings"}[object.Kind(obj)]
		key := object.Name(obj)
		if namespace := object.Namespace(obj); namespace != "" {
			key = namespace + "/" + key
		}
		r.Set(resource, key, obj)
	}
	for i := range 10_000 {
		user := "user-" + strconv.Itoa(i)
		r.Set("rolebindings", "ns/"+user,
			parse(b, `{"roleRef":{"kind":"Role","name":"reader"},"subjects":[{"kind":"User","name":"`+user+`"}]}`))
	}
	a := auth.Attributes{User: &auth.User{Name: "user-5000", Groups: []string{auth.Authenticated}}, Verb: "get",
		IsResource: true, Namespace: "ns", Resource: "pods"}
	b.ReportAllocs()
	for b.Loop() {
		if allowed, _ := r.Authorize(a); !allowed {
			b.Fatal("not allowed")
		}
	}
}
