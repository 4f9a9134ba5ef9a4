package room_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
)

// TestRights lists what members may do, by their role. T, L and S are a teacher, a learner and a
// spectator; the message is that of the first who may not.
func TestRights(t *testing.T) {
	c := newClassroom(t, Options{})
	_, learner := c.join("learner", "Ada")
	_, spectator := c.join("spectator", "Sam")
	c.expect(201, "chalk", "POST", members, `{"metadata":{"name":"x"},"spec":{"displayName":"X","role":"learner"}}`)
	c.expect(201, "chalk", "POST", secrets, `{"metadata":{"name":"s"},"stringData":{"k":"v"}}`)
	c.expect(201, "chalk", "POST", configMaps, configMap("a", ""))
	for _, account := range []string{"default", "kube-system"} {
		c.expect(201, "chalk", "POST", "/api/v1/namespaces/"+account+"/serviceaccounts", `{"metadata":{"name":"robot"}}`)
	}
	const system = "/api/v1/namespaces/kube-system"
	const (
		robot  = "/api/v1/namespaces/default/serviceaccounts/robot"
		crds   = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
		as     = "Impersonate-User: "
		robots = as + "system:serviceaccount:"
		act    = "in a room only teachers may impersonate other users"
	)
	for _, test := range []struct {
		may                   string
		headers, method, path string
		body, want            string
	}{
		{"TLS", "", "GET", configMaps + "/a", "", ""},
		{"TL", "", "PATCH", configMaps + "/a", `{"data":{"v":"2"}}`, `cannot patch resource "configmaps"`},
		{"TL", "", "GET", secrets + "/s", "", `cannot get resource "secrets"`},
		{"TL", "", "GET", "/api/v1/secrets", "", `cannot list resource "secrets"`},
		{"TL", "", "GET", system + "/secrets", "", `cannot list resource "secrets"`},
		{"TL", "", "POST", robot + "/token", `{"spec":{}}`, `"serviceaccounts/token"`},
		{"TLS", "", "GET", "/api/v1/namespaces", "", ""},
		{"T", "", "PATCH", "/api/v1/namespaces/default", `{}`, `cannot patch resource "namespaces"`},
		{"T", "", "GET", "/api/v1/nodes", "", `cannot list resource "nodes"`},
		{"T", "", "GET", clusterRoles, "", `cannot list resource "clusterroles"`},
		{"T", "", "GET", crds, "", "cannot list resource"},
		{"TLS", "", "GET", members, "", ""},
		{"TLS", "", "GET", rooms + "/default", "", ""},
		{"TLS", "", "GET", plane, "", ""},
		{"T", "", "GET", tokens, "", `cannot list resource "roomtokens"`},
		{"T", "", "GET", plane + "/snapshot", "", `cannot get resource "controlplanes/snapshot"`},
		{"T", "", "POST", plane + "/disconnect", "", `cannot create resource "controlplanes/disconnect"`},
		{"T", "", "PATCH", plane, `{"spec":{}}`, `cannot patch resource "controlplanes"`},
		// The namespaces of the system, and service accounts, some of which may do everything.
		{"TLS", "", "GET", system + "/serviceaccounts", "", ""},
		{"T", "", "POST", system + "/configmaps?dryRun=All", configMap("b", ""), "only teachers write in the namespaces"},
		{"T", "", "POST", system + "/serviceaccounts/robot/token", `{"spec":{}}`, "only teachers write in the namespaces"},
		{"T", robots + "kube-system:namespace-controller", "DELETE", members + "/x?dryRun=All", "", "cannot impersonate"},
		{"T", robots + "default:robot", "GET", "/version", "", act},
		{"T", as + "member:teacher", "GET", "/version", "", act},
	} {
		for n, token := range []string{"chalk", learner, spectator} {
			role := "TLS"[n : n+1]
			headers := "Authorization: Bearer " + token + "\n" + test.headers
			code, text := requestAs(c.Cluster, headers, test.method, test.path, test.body)
			var status struct{ Message string }
			_ = json.Unmarshal([]byte(text), &status)
			switch may := strings.Contains(test.may, role); {
			case may && code >= 300:
				t.Errorf("%s %s %s: %d %s", role, test.method, test.path, code, text)
			case !may && (code != 403 || !strings.Contains(status.Message, test.want) && role != "S"):
				t.Errorf("%s %s %s: %d %s, want 403 %s", role, test.method, test.path, code, text, test.want)
			}
		}
	}
	refused := c.expect(422, "chalk", "PATCH", plane, `{"spec":{"authentication":{"tokens":[{"token":"t","user":"u"}]}}}`)
	if message := refused["message"].(string); !strings.Contains(message, "its tokens are RoomTokens") {
		t.Error(message)
	}
	review := c.expect(201, learner, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		`{"spec":{"resourceAttributes":{"verb":"impersonate","resource":"serviceaccounts","namespace":"kube-system"}}}`)
	if at(review, "status.allowed") != false {
		t.Errorf("can-i: %v", review["status"])
	}
}

// TestSecretsOfTheSystem pins what README and the room's menu say of Secrets: a new room has none, and who may edit
// reads all there are, those of the system too, and changes none of these.
func TestSecretsOfTheSystem(t *testing.T) {
	const system = "/api/v1/namespaces/kube-system/secrets"
	c := newClassroom(t, Options{Controllers: true})
	if all := c.expect(200, "chalk", "GET", "/api/v1/secrets", "")["items"].([]any); len(all) != 0 {
		t.Errorf("a new room has %v", all)
	}
	c.expect(201, "chalk", "POST", system, `{"metadata":{"name":"key"},"stringData":{"k":"value"}}`)
	for _, role := range []string{"learner", "program"} {
		_, token := c.join(role, "A "+role)
		secret := c.expect(200, token, "GET", system+"/key", "")
		if got := at(secret, "data.k"); got != "dmFsdWU=" {
			t.Errorf("a %s reads %v", role, got)
		}
		if all := c.expect(200, token, "GET", "/api/v1/secrets", "")["items"].([]any); len(all) != 1 {
			t.Errorf("a %s lists %v", role, all)
		}
		c.expect(403, token, "PATCH", system+"/key", `{"stringData":{"k":"other"}}`)
		c.expect(403, token, "DELETE", system+"/key", "")
	}
	_, spectator := c.join("spectator", "Sam")
	c.expect(403, spectator, "GET", system+"/key", "")
}

// TestClass has 30 learners join by one invitation at the same time, in a room for 20 members.
func TestClass(t *testing.T) {
	c := newClassroom(t, Options{Storage: new(journal.Memory)})
	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"maxMembers":20,"quotas":{"membersPerAddress":20}}}`)
	invited := c.expect(201, "chalk", "POST", rooms+"/default/invite", `{"role":"learner"}`)
	invitation := at(invited, "status.token").(string)
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		names = map[string]bool{}
		full  int
	)
	for n := range 30 {
		wg.Go(func() {
			code, text := requestAs(c.Cluster, "Authorization: Bearer "+invitation, "POST", rooms+"/default/join",
				fmt.Sprintf(`{"displayName":"Learner %d"}`, n))
			mu.Lock()
			defer mu.Unlock()
			if code == 403 && strings.Contains(text, "the room is full: spec.maxMembers says how many it takes") {
				full++
				return
			}
			var joined map[string]any
			if err := json.Unmarshal([]byte(text), &joined); err != nil || code != 201 {
				t.Errorf("%d %s", code, text)
				return
			}
			names[at(joined, "spec.member").(string)] = true
			token := at(joined, "status.token").(string)
			if code, text := requestAs(c.Cluster, "Authorization: Bearer "+token, "GET", configMaps, ""); code != 200 {
				t.Errorf("%d %s", code, text)
			}
		})
	}
	wg.Wait()
	if len(names) != 19 || full != 11 {
		t.Errorf("%d are in, for %d the room is full", len(names), full)
	}
	if n := len(c.expect(200, "chalk", "GET", members, "")["items"].([]any)); n != 20 {
		t.Errorf("%d members", n)
	}
	// The room has places again when somebody leaves, and an invitation ends with its token.
	for name := range names {
		c.expect(200, "chalk", "DELETE", members+"/"+name, "")
		break
	}
	c.expect(201, invitation, "POST", rooms+"/default/join", `{"displayName":"Late"}`)
	c.expect(200, "chalk", "DELETE", tokens+"/"+at(invited, "metadata.name").(string), "")
	c.expect(401, invitation, "POST", rooms+"/default/join", `{"displayName":"Too late"}`)
}

// TestLeave has members leave and rename themselves, and nobody else.
func TestLeave(t *testing.T) {
	c := newClassroom(t, Options{Clock: clock.Real()})
	ada, adas := c.join("learner", "Ada")
	grace, graces := c.join("spectator", "Grace")
	s, _ := c.follow("chalk")
	gracesView, _ := c.follow(graces)
	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"frozen":true}}`) // neither is a write of the class

	c.expect(201, adas, "POST", members+"/"+ada+"/rename", `{"displayName":"A. Lovelace"}`)
	s.until(`"A. Lovelace"`)
	renamed := c.expect(200, adas, "GET", members+"/"+ada, "")
	if at(renamed, "spec.displayName") != "A. Lovelace" || at(renamed, "spec.role") != "learner" {
		t.Errorf("%v", renamed)
	}
	for _, test := range []struct {
		code                    int
		token, path, body, want string
	}{
		{403, adas, grace + "/rename", `{"displayName":"G"}`, "a member does that for itself only"},
		{403, adas, grace + "/leave", "", "a member does that for itself only"},
		{403, "chalk", grace + "/leave", "", "a member does that for itself only"},
		{403, "chalk", "teacher/leave", "", "it is the only teacher: the room needs another one first"},
		{400, adas, ada + "/rename", `{"displayName":" "}`, "displayName: Required value"},
		{400, adas, ada + "/rename", `{"role":"teacher"}`, `unknown field "role"`},
		{400, adas, ada + "/leave", `{"why":"x"}`, `unknown field "why"`},
		{201, graces, grace + "/leave?dryRun=All", "", ""},
		{201, graces, grace + "/rename?dryRun=All", `{"displayName":"G"}`, ""},
	} {
		got := c.expect(test.code, test.token, "POST", members+"/"+test.path, test.body)
		if message, _ := got["message"].(string); !strings.Contains(message, test.want) {
			t.Errorf("%s: %s, want %s", test.path, message, test.want)
		}
	}
	second := c.expect(201, "chalk", "POST", members+"/"+grace+"/token", "")
	c.expect(201, graces, "POST", members+"/"+grace+"/leave", "")
	const left = `","gone":true,"left":true}`
	s.until(`{"name":"` + grace + left)
	if gracesView.until(`{"name":"` + grace + left); !gracesView.ended("") {
		t.Error("the stream of who has left goes on")
	}
	c.expect(401, graces, "GET", configMaps, "")
	c.expect(401, at(second, "status.token").(string), "GET", configMaps, "")
	for _, path := range []string{members, tokens} {
		if text := fmt.Sprint(c.expect(200, "chalk", "GET", path, "")); strings.Contains(text, grace) ||
			strings.Contains(text, "Grace") {
			t.Errorf("%s: %s", path, text)
		}
	}
	// A teacher may leave as soon as there is another one.
	_, next := c.join("teacher", "Next")
	c.expect(201, "chalk", "POST", members+"/teacher/leave", "")
	c.expect(401, "chalk", "GET", members, "")
	c.expect(200, next, "GET", members, "")
}

// TestTheLastTeacherStays has all teachers leave at the same time.
func TestTheLastTeacherStays(t *testing.T) {
	c := newClassroom(t, Options{Storage: new(journal.Memory)})
	teachers := map[string]string{"teacher": "chalk"}
	for n := range 9 {
		name, token := c.join("teacher", fmt.Sprint("Teacher ", n))
		teachers[name] = token
	}
	var wg sync.WaitGroup
	stays := make(chan string, len(teachers))
	for name, token := range teachers {
		wg.Go(func() {
			code, _ := requestAs(c.Cluster, "Authorization: Bearer "+token, "POST", members+"/"+name+"/leave", "")
			if code != 201 {
				stays <- token
			}
		})
	}
	wg.Wait()
	if len(stays) != 1 {
		t.Fatalf("%d teachers stay", len(stays))
	}
	if all := c.expect(200, <-stays, "GET", members, "")["items"].([]any); len(all) != 1 {
		t.Errorf("%d members are left", len(all))
	}
}

// TestJoinDuringReset has learners join and tokens end while the cluster is reset again and again: what
// was answered is so in the next cluster.
func TestJoinDuringReset(t *testing.T) {
	c := newClassroom(t, Options{Storage: new(journal.Memory)})
	invited := c.expect(201, "chalk", "POST", rooms+"/default/invite", `{"role":"learner"}`)
	invitation := at(invited, "status.token").(string)
	var wg sync.WaitGroup
	valid, ended := make(chan string, 100), make(chan string, 100)
	ask := func(token, method, path, body string) (int, map[string]any) {
		code, text := requestAs(c.Cluster, "Authorization: Bearer "+token, method, path, body)
		var obj map[string]any
		if err := json.Unmarshal([]byte(text), &obj); err != nil || code >= 300 && code != 503 {
			t.Errorf("%s %s: %d %s", method, path, code, text)
		}
		return code, obj
	}
	for n := range 4 {
		wg.Go(func() {
			for made := 0; made < 10 && !t.Failed(); {
				body := fmt.Sprintf(`{"displayName":"Ada %d-%d"}`, n, made)
				code, joined := ask(invitation, "POST", rooms+"/default/join", body)
				if code != 201 { // during the reset; each join counts, so that too many must not be tried until it is over
					for code != 200 && !t.Failed() {
						runtime.Gosched()
						code, _ = ask("chalk", "GET", members, "")
					}
					continue
				}
				made++
				token := at(joined, "status.token").(string)
				if n%2 == 0 {
					valid <- token
				} else if code, _ := ask("chalk", "DELETE", tokens+"/"+at(joined, "metadata.name").(string), ""); code == 200 {
					ended <- token
				}
			}
		})
	}
	for range 10 {
		c.expect(201, "chalk", "POST", plane+"/reset", "")
	}
	wg.Wait()
	close(valid)
	close(ended)
	for token := range valid {
		c.expect(200, token, "GET", members, "")
	}
	for token := range ended {
		c.expect(401, token, "GET", members, "")
	}
}

// TestActsAreDescribed looks for the acts of rooms in discovery and in the OpenAPI document.
func TestActsAreDescribed(t *testing.T) {
	c := newClassroom(t, Options{})
	const version = "apis/sandbox.tabernetes.dev/v1"
	listed := map[any]any{}
	for _, one := range c.expect(200, "chalk", "GET", "/"+version, "")["resources"].([]any) {
		listed[at(one, "name")] = at(one, "verbs")
	}
	paths := at(c.expect(200, "chalk", "GET", "/openapi/v3/"+version, ""), "paths").(map[string]any)
	for act, verb := range map[string]string{
		"rooms/follow": "get", "rooms/show": "create", "rooms/report": "create",
		"members/leave": "create", "members/rename": "create",
	} {
		if fmt.Sprint(listed[act]) != "["+verb+"]" {
			t.Errorf("discovery: %s: %v", act, listed[act])
		}
		resource, name, _ := strings.Cut(act, "/")
		method := map[string]string{"get": "get", "create": "post"}[verb]
		if at(paths["/"+version+"/"+resource+"/{name}/"+name], method) == nil {
			t.Errorf("OpenAPI: %s has no %s", act, method)
		}
	}
}
