package core

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
)

const (
	clusterRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
	roles        = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles"
	roleBindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings"
)

// TestRBACIsOffAtFirst checks that a new cluster authorizes everything and has no RBAC objects.
func TestRBACIsOffAtFirst(t *testing.T) {
	c, _ := newCluster(t, Options{})
	if items := must(t, c, 200, "GET", clusterRoles, "")["items"].([]any); len(items) > 0 {
		t.Errorf("%d ClusterRoles", len(items))
	}
	for _, headers := range []string{"", "Authorization: Bearer unknown", "Impersonate-User: jane"} {
		if code, body := requestAs(c, headers, "GET", configMaps, ""); code != 200 {
			t.Errorf("%s: %d %s", headers, code, body)
		}
	}
}

// TestSwitchRBACOn switches RBAC on in the ControlPlane, and off again.
func TestSwitchRBACOn(t *testing.T) {
	c, _ := newCluster(t, Options{})
	expect := func(code int, headers, method, path, body string) string {
		t.Helper()
		got, text := requestAs(c, headers, method, path, body)
		if got != code {
			t.Errorf("%s: %s %s: %d, want %d: %s", headers, method, path, got, code, text)
		}
		return text
	}
	expect(200, "", "PATCH", plane, `{"spec":{"authorization":{"mode":"RBAC"},"authentication":{"tokens":[
		{"token":"root","user":"root","groups":["system:masters"]},
		{"token":"jane","user":"jane","uid":"7","groups":["devs"]}]}}}`)
	expect(200, "", "GET", clusterRoles+"/cluster-admin", "") // who sends no credentials is still admin
	const jane, root = "Authorization: Bearer jane", "Authorization: Bearer root"
	expect(401, "Authorization: Bearer unknown", "GET", "/version", "")
	expect(200, jane, "GET", "/api", "")
	expect(403, jane, "GET", configMaps, "")
	expect(403, "Impersonate-User: bob", "GET", configMaps, "")
	expect(403, jane+"\nImpersonate-User: admin", "GET", configMaps, "")
	expect(200, root, "GET", configMaps, "")

	role := func(name, verbs string) string {
		return `{"metadata":{"name":"` + name +
			`"},"rules":[{"apiGroups":["","rbac.authorization.k8s.io"],"resources":["configmaps","roles","rolebindings"],` +
			`"verbs":[` + verbs + `]}]}`
	}
	binding := func(role string) string {
		return `{"metadata":{"name":"` + role + `"},"roleRef":{"kind":"Role","name":"` + role +
			`"},"subjects":[{"kind":"Group","name":"devs"}]}`
	}
	expect(201, root, "POST", roleBindings, binding("some"))
	if text := expect(403, jane, "GET", configMaps, ""); !strings.Contains(text,
		`role.rbac.authorization.k8s.io \"some\" not found`) {
		t.Errorf("the missing role is not named: %s", text)
	}
	expect(201, root, "POST", roles, role("some", `"get","list","create","update"`))
	expect(200, jane, "GET", configMaps, "") // at once
	if text := expect(403, jane, "POST", roles, role("more", `"delete"`)); !strings.Contains(text, "not currently held") {
		t.Errorf("an escalation: %s", text)
	}
	expect(201, jane, "POST", roles, role("less", `"get"`))
	expect(404, jane, "POST", roleBindings, binding("absent"))
	expect(200, root, "DELETE", roles+"/some", "")
	expect(403, jane, "GET", configMaps, "")

	expect(200, root, "PATCH", plane, `{"spec":{"authentication":{"withoutCredentials":"Anonymous"}}}`)
	expect(200, "", "GET", "/healthz", "")
	expect(403, "", "GET", plane, "")
	expect(200, root, "PATCH", plane, `{"spec":{"authentication":{"withoutCredentials":"Unauthorized"}}}`)
	expect(401, "", "GET", "/healthz", "")
	expect(200, root, "PATCH", plane, `{"spec":{"authorization":{"mode":"AlwaysAllow"},"authentication":null}}`)
	expect(200, "", "GET", configMaps, "")
	expect(200, "Authorization: Bearer root", "GET", configMaps, "")
}

// TestStreamsNeedCreate checks that the verb get on pods/exec is not enough for a stream.
func TestStreamsNeedCreate(t *testing.T) {
	c, _ := newCluster(t, Options{Authorization: "RBAC"})
	const exec = "/api/v1/namespaces/default/pods/p/exec?command=ls"
	grant := func(method, path, verbs string) {
		must(t, c, map[string]int{"POST": 201, "PUT": 200}[method], method, path,
			`{"metadata":{"name":"r"},"rules":[{"apiGroups":[""],"resources":["pods/exec"],"verbs":[`+verbs+`]}]}`)
	}
	grant("POST", roles, `"get"`)
	must(t, c, 201, "POST", roleBindings,
		`{"metadata":{"name":"b"},"roleRef":{"kind":"Role","name":"r"},"subjects":[{"kind":"User","name":"jane"}]}`)
	if code, body := requestAs(c, "Impersonate-User: jane", "GET", exec, ""); code != 403 ||
		!strings.Contains(body, `"pods \"p\" is forbidden: "`) {
		t.Errorf("with get: %d %s", code, body)
	}
	grant("PUT", roles+"/r", `"get","create"`)
	for _, method := range []string{"GET", "POST"} {
		if code, body := requestAs(c, "Impersonate-User: jane", method, exec, ""); code != 404 {
			t.Errorf("with get and create, %s: %d %s", method, code, body)
		}
	}
}

// TestRBACIsRestored restores a saved cluster with RBAC on.
func TestRBACIsRestored(t *testing.T) {
	storage := &journal.Memory{}
	tokens := []Token{{Token: "root", User: "root", Groups: []string{"system:masters"}}}
	first, err := New(Options{Clock: clock.NewManual(start), Rand: randomness(), Storage: storage, Authorization: "RBAC",
		WithoutCredentials: "Anonymous", Tokens: tokens})
	if err != nil {
		t.Fatal(err)
	}
	bind := `{"metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"system:aggregate-to-view"},` +
		`"subjects":[{"kind":"User","name":"system:anonymous"}]}`
	if code, body := requestAs(first, "Authorization: Bearer root", "POST", roleBindings, bind); code != 201 {
		t.Fatal(code, body)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	c, _ := newCluster(t, Options{Storage: storage})
	for path, want := range map[string]int{configMaps: 200, "/api/v1/configmaps": 403} {
		if code, body := requestAs(c, "", "GET", path, ""); code != want {
			t.Errorf("%s: %d, want %d: %s", path, code, want, body)
		}
	}
}

func TestInvalidAuthentication(t *testing.T) {
	c, _ := newCluster(t, Options{})
	for _, test := range []struct{ spec, want string }{
		{`{"authorization":{"mode":"ABAC"}}`,
			`spec.authorization.mode: Unsupported value: \"ABAC\": supported values: \"AlwaysAllow\", \"RBAC\"`},
		{`{"authentication":{"withoutCredentials":"x"}}`,
			`spec.authentication.withoutCredentials: Unsupported value: \"x\"`},
		{`{"authentication":{"tokens":[{"user":"u"}]}}`, `spec.authentication.tokens[0].token: Required value`},
		{`{"authentication":{"tokens":[{"token":"a b","user":"u"}]}}`,
			`spec.authentication.tokens[0].token: Invalid value: \"a b\": must not contain white space`},
		{`{"authentication":{"tokens":[{"token":"t"}]}}`, `spec.authentication.tokens[0].user: Required value`},
		{`{"authentication":{"tokens":[{"token":"t","user":"u"},{"token":"t","user":"v"}]}}`,
			`spec.authentication.tokens[1].token: Duplicate value: \"t\"`},
		{`{"authentication":{"tokens":[{"token":"t","user":"u","groups":["a",1]}]}}`,
			`spec.authentication.tokens[0].groups: Invalid value: [\"a\",1]: must be a list of strings`},
		{`{"authentication":{"tokens":[{"token":"t","user":"u","groups":["a"],"uid":"x"}]}}`, ""},
		{`{"authorization":null,"authentication":{"tokens":null,"withoutCredentials":"Anonymous"}}`, ""},
	} {
		code, body := requestAs(c, "", "PATCH", plane+"?dryRun=All", `{"spec":`+test.spec+`}`)
		if test.want == "" && code != 200 ||
			test.want != "" && (code != 422 || !strings.Contains(body, test.want)) {
			t.Errorf("%s: %d %s, want %s", test.spec, code, body, test.want)
		}
	}
}
