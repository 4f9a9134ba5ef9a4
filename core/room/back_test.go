package room_test

import (
	"net/http"
	"testing"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/journal"
)

const bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"

// TestSnapshotsLetNobodyIn puts snapshots of other clusters into a room: who may do what there is as it was. Neither
// strangers nor learners get in by settings that come with one, and the teacher is not kept out.
func TestSnapshotsLetNobodyIn(t *testing.T) {
	for name, spec := range map[string]string{
		"as a new cluster": `{}`,
		"anonymous":        `{"authorization":{"mode":"RBAC"},"authentication":{"withoutCredentials":"Anonymous"}}`,
		"tokens": `{"authentication":{"withoutCredentials":"Unauthorized","tokens":[` +
			`{"token":"let-me-in","user":"eve","groups":["system:masters"]}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			other := newCluster(t, Options{})
			must(t, other, 201, "POST", clusterRoles, `{"metadata":{"name":"cluster-admin"},"rules":[]}`)
			must(t, other, 201, "POST", configMaps, configMap("a", "1"))
			must(t, other, 200, "PATCH", plane, `{"spec":`+spec+`}`)
			owner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				other.ServeHTTP(w, r.WithContext(auth.WithVerdict(r.Context(), auth.Verdict{User: auth.Admin})))
			})
			code, snapshot := call(t, owner, "GET", plane+"/snapshot", "")
			if code != 200 {
				t.Fatal(code, snapshot)
			}
			c := newClassroom(t, Options{Storage: new(journal.Memory)})
			_, ada := c.join("learner", "Ada")
			before := c.expect(200, "chalk", "GET", plane, "")
			c.expect(201, "chalk", "PUT", plane+"/snapshot", snapshot)
			for header, want := range map[string]int{
				"": 401, "Authorization: Bearer let-me-in": 401, "Authorization: Bearer chalk": 200,
			} {
				if code, body := requestAs(c, header, "GET", secrets, ""); code != want {
					t.Errorf("%s: %d %.300s", header, code, body)
				}
			}
			c.expect(200, ada, "GET", configMaps+"/a", "")
			now := c.expect(200, "chalk", "GET", plane, "")
			for _, path := range []string{"spec.authorization.mode", "spec.authentication.withoutCredentials"} {
				if at(now, path) != at(before, path) {
					t.Errorf("%s is %v now", path, at(now, path))
				}
			}
			c.expect(403, ada, "POST", plane+"/reset", "{}")
			c.expect(201, "chalk", "POST", plane+"/reset", "{}")
		})
	}
}

// TestTeachersGetBack takes from a teacher what the roles allow, in each way: it can still do everything.
func TestTeachersGetBack(t *testing.T) {
	const patch = `{"spec":{"authentication":{"withoutCredentials":"Anonymous"}}}`
	for name, shut := range map[string]func(classroom){
		"the bindings are gone": func(c classroom) { c.expect(200, "chalk", "DELETE", bindings, "") },
		"the role allows nothing": func(c classroom) {
			c.expect(200, "chalk", "PATCH", clusterRoles+"/cluster-admin", `{"rules":[]}`)
		},
		"RBAC was off meanwhile": func(c classroom) {
			c.expect(200, "chalk", "PATCH", plane, `{"spec":{"authorization":{"mode":"AlwaysAllow"}}}`)
			c.expect(200, "chalk", "DELETE", clusterRoles, "")
			c.expect(200, "chalk", "PATCH", plane, `{"spec":{"authorization":{"mode":"RBAC"}}}`)
		},
		"a webhook refuses everything": func(c classroom) {
			c.expect(201, "chalk", "POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
				`{"metadata":{"name":"no"},"webhooks":[{"name":"no.example.com","sideEffects":"None",`+
					`"admissionReviewVersions":["v1"],"clientConfig":{"url":"https://no.example.com"},`+
					`"rules":[{"apiGroups":["*"],"apiVersions":["*"],"resources":["*/*"],"operations":["*"]}]}]}`)
			c.expect(500, "chalk", "POST", configMaps, configMap("a", "1"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClassroom(t, Options{Storage: new(journal.Memory)})
			shut(c)
			c.expect(200, "chalk", "PATCH", plane, patch)
			c.expect(201, "chalk", "POST", plane+"/reset", "{}")
			c.expect(201, "chalk", "POST", rooms+"/default/invite", `{"role":"learner"}`)
		})
	}
}
