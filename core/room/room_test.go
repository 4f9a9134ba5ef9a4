package room_test

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/journal"
)

// TestJoinARoom follows two learners from their invitation on: what one writes the other
// sees, and neither does what only a teacher may.
func TestJoinARoom(t *testing.T) {
	c := newClassroom(t, Options{})
	ada, adas := c.join("learner", "Ada Lovelace")
	_, grace := c.join("learner", "グレース")
	if !strings.HasPrefix(ada, "ada-lovelace-") {
		t.Errorf("the name is %q", ada)
	}
	c.expect(201, adas, "POST", configMaps, configMap("shared", "1"))
	c.expect(200, grace, "GET", configMaps+"/shared", "")
	// A learner is refused as RBAC refuses: by name of the user.
	denied := c.expect(403, grace, "POST", "/api/v1/namespaces", `{"metadata":{"name":"mine"}}`)
	if m := denied["message"].(string); !strings.HasPrefix(m, `namespaces is forbidden: User "member:member-`) {
		t.Error(m)
	}
	for _, path := range []string{tokens, rooms + "/default/invite", members + "/" + ada + "/token"} {
		c.expect(403, grace, "POST", path, `{}`)
	}
	c.expect(403, adas, "GET", tokens, "")
	c.expect(403, adas, "DELETE", members+"/"+ada, "")
	c.expect(403, adas, "POST", rooms+"/default/join", `{"displayName":"Ada again"}`)
	if n := len(c.expect(200, adas, "GET", members, "")["items"].([]any)); n != 3 {
		t.Errorf("%d members", n)
	}
	// Who they are tells the server, as kubectl auth whoami asks it.
	who := c.expect(201, adas, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews",
		`{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`)
	if got := at(who, "status.userInfo.username"); got != "member:"+ada {
		t.Errorf("whoami: %v", got)
	}
}

// TestRoles checks what a spectator and an invitation may not do, and that nobody gets in
// without a token.
func TestRoles(t *testing.T) {
	c := newClassroom(t, Options{})
	_, spectator := c.join("spectator", "Sam")
	c.expect(200, spectator, "GET", configMaps, "")
	c.expect(403, spectator, "POST", configMaps, configMap("a", ""))
	c.expect(403, spectator, "GET", "/api/v1/secrets", "")
	_, program := c.join("program", "controller")
	c.expect(201, program, "POST", configMaps, configMap("a", ""))
	_, second := c.join("teacher", "Second teacher")
	c.expect(201, second, "POST", "/api/v1/namespaces", `{"metadata":{"name":"mine"}}`)

	invited := c.expect(201, "chalk", "POST", rooms+"/default/invite", `{"role":"learner"}`)
	invitation := at(invited, "status.token").(string)
	c.expect(403, invitation, "GET", configMaps, "")
	c.expect(403, invitation, "POST", members, `{"metadata":{"name":"x"},"spec":{"displayName":"x","role":"teacher"}}`)
	for name, token := range map[string]string{"unknown": "unknown", "none": ""} {
		if code, body := requestAs(c.Cluster, "Authorization: Bearer "+token, "GET", configMaps, ""); code != 401 {
			t.Errorf("%s token: %d %s", name, code, body)
		}
	}
}

// TestTokensEnd checks that a token is worth nothing once it, or its member, is gone, and that
// a member can have several.
func TestTokensEnd(t *testing.T) {
	c := newClassroom(t, Options{})
	ada, first := c.join("learner", "Ada")
	second := c.expect(201, "chalk", "POST", members+"/"+ada+"/token", "")
	token := at(second, "status.token").(string)
	if len(token) != 22 {
		t.Errorf("a token of %d characters", len(token))
	}
	c.expect(200, token, "GET", configMaps, "")
	c.expect(200, "chalk", "DELETE", tokens+"/"+at(second, "metadata.name").(string), "")
	c.expect(401, token, "GET", configMaps, "")
	c.expect(200, first, "GET", configMaps, "")
	// Nothing that can be read has a token in it.
	_, snapshot := requestAs(c.Cluster, "Authorization: Bearer chalk", "GET", plane+"/snapshot", "")
	if strings.Contains(snapshot, first) || !strings.Contains(snapshot, `"hash"`) {
		t.Error("the snapshot has the token itself, or not its hash")
	}
	c.expect(200, "chalk", "DELETE", members+"/"+ada, "")
	c.expect(401, first, "GET", configMaps, "")
	c.expect(404, "chalk", "POST", members+"/"+ada+"/token", "")
	c.expect(404, "chalk", "POST", rooms+"/other/invite", `{"role":"learner"}`)
}

// TestFreeze checks that only teachers write while a room is frozen, and that others read.
func TestFreeze(t *testing.T) {
	c := newClassroom(t, Options{})
	_, ada := c.join("learner", "Ada")
	c.expect(201, ada, "POST", configMaps, configMap("a", "1"))
	const scale = "/apis/apps/v1/namespaces/default/deployments/web/scale"
	const evicted = "/api/v1/namespaces/default/pods/pod"
	c.expect(201, ada, "POST", "/apis/apps/v1/namespaces/default/deployments", `{"metadata":{"name":"web"},"spec":{
		"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
		"spec":{"containers":[{"name":"c","image":"i"}]}}}}`)
	c.expect(201, ada, "POST", "/api/v1/namespaces/default/pods",
		`{"metadata":{"name":"pod"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	c.expect(201, "chalk", "POST", "/api/v1/namespaces/default/serviceaccounts", `{"metadata":{"name":"default"}}`)
	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"frozen":true}}`)
	c.expect(200, ada, "GET", configMaps+"/a", "")
	for _, write := range []struct{ method, path, body string }{
		{"POST", configMaps, configMap("b", "")},
		{"PUT", configMaps + "/a", configMap("a", "2")},
		{"PATCH", configMaps + "/a", `{"data":{"v":"2"}}`},
		{"DELETE", configMaps + "/a", ""},
		{"DELETE", configMaps, ""},
		{"DELETE", configMaps + "/a?dryRun=All", ""},
		{"PATCH", scale, `{"spec":{"replicas":3}}`},
		{"POST", evicted + "/eviction", `{"metadata":{"name":"pod"}}`},
		{"POST", "/api/v1/namespaces/default/serviceaccounts/default/token", `{"spec":{}}`},
	} {
		refused := c.expect(403, ada, write.method, write.path, write.body)
		message := refused["message"].(string)
		if !strings.HasSuffix(message, " is forbidden: the room is frozen: only its teachers may write") {
			t.Errorf("%s %s: %v", write.method, write.path, message)
		}
	}
	c.expect(200, "chalk", "PATCH", configMaps+"/a", `{"data":{"v":"3"}}`)
	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"frozen":false}}`)
	c.expect(200, ada, "PATCH", configMaps+"/a", `{"data":{"v":"4"}}`)
}

// TestRoomIsTakenUpAgain checks that all of a room survives its host, and that the first token
// does not come back once it is deleted.
func TestRoomIsTakenUpAgain(t *testing.T) {
	saved := new(journal.Memory)
	c := newClassroom(t, Options{Storage: saved})
	_, ada := c.join("learner", "Ada")
	_, second := c.join("teacher", "Second")
	c.expect(201, ada, "POST", configMaps, configMap("kept", "1"))
	all := c.expect(200, "chalk", "GET", tokens, "")["items"].([]any)
	for _, one := range all {
		if at(one, "spec.member") == "teacher" {
			c.expect(200, second, "DELETE", tokens+"/"+at(one, "metadata.name").(string), "")
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	again := newClassroom(t, Options{Storage: saved})
	again.expect(200, ada, "GET", configMaps+"/kept", "")
	again.expect(401, "chalk", "GET", configMaps+"/kept", "")
	again.expect(200, second, "GET", tokens, "")
}

// TestRoomOutlivesItsCluster resets a room, and puts an old snapshot in its place: members and
// tokens are those of the present, so that nobody is locked out, and nobody let in again.
func TestRoomOutlivesItsCluster(t *testing.T) {
	c := newClassroom(t, Options{})
	gone, gones := c.join("learner", "Gone")
	_, ada := c.join("learner", "Ada")
	c.expect(201, ada, "POST", configMaps, configMap("a", "1"))
	code, snapshot := requestAs(c.Cluster, "Authorization: Bearer chalk", "GET", plane+"/snapshot", "")
	if code != 200 {
		t.Fatal(code)
	}
	c.expect(200, "chalk", "DELETE", members+"/"+gone, "")
	_, grace := c.join("learner", "Grace")
	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"frozen":true}}`)
	check := func(code int) {
		t.Helper()
		c.expect(code, ada, "GET", configMaps+"/a", "")
		c.expect(code, grace, "GET", configMaps+"/a", "")
		c.expect(401, gones, "GET", configMaps+"/a", "")
		c.expect(403, grace, "POST", configMaps, configMap("b", "1"))
		if n := len(c.expect(200, "chalk", "GET", members, "")["items"].([]any)); n != 3 {
			t.Errorf("%d members", n)
		}
	}
	check(200)
	code, body := requestAs(c.Cluster, "Authorization: Bearer chalk", "POST", plane+"/reset", `{"seed":1}`)
	if code != 201 {
		t.Fatal(code, body)
	}
	check(404)
	code, body = requestAs(c.Cluster, "Authorization: Bearer chalk", "PUT", plane+"/snapshot", snapshot)
	if code != 201 {
		t.Fatal(code, body)
	}
	check(200)
}

// TestFullRoom checks that a room takes no more members than it says.
func TestFullRoom(t *testing.T) {
	c := newClassroom(t, Options{})
	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"maxMembers":2}}`)
	c.join("learner", "Ada")
	invited := c.expect(201, "chalk", "POST", rooms+"/default/invite", `{"role":"learner"}`)
	full := c.expect(403, at(invited, "status.token").(string), "POST", rooms+"/default/join", `{"displayName":"Grace"}`)
	if !strings.Contains(full["message"].(string), "the room is full") {
		t.Error(full["message"])
	}
}

// TestRoomObjectsAreChecked lists what is wrong with objects and acts.
func TestRoomObjectsAreChecked(t *testing.T) {
	c := newClassroom(t, Options{})
	hash := strings.Repeat("0", 64)
	token := func(name, spec string) string { return `{"metadata":{"name":"` + name + `"},"spec":` + spec + `}` }
	for _, test := range []struct {
		code                     int
		method, path, body, want string
	}{
		{422, "POST", members, token("a", `{}`), "spec.displayName: Required value"},
		{422, "POST", members, token("a", `{"displayName":"A","role":"boss"}`), `supported values: "teacher", "learner"`},
		{422, "POST", members, token("a", `{"displayName":"a\u0007","role":"learner"}`), "that can be printed"},
		{422, "POST", members, token("a", `{"displayName":"A","role":"learner","x":1}`), `spec: Unsupported value: "x"`},
		{422, "POST", tokens, token("a", `{"member":"a"}`), "spec.hash: Required value"},
		{422, "POST", tokens, token("a", `{"hash":"`+hash+`","member":"a"}`), "must be the hash's first digits"},
		{422, "POST", tokens, token(hash[:20], `{"hash":"`+hash+`"}`), "must have one of member and invites"},
		{422, "POST", tokens, token(hash[:20], `{"hash":"`+hash+`","member":"a","invites":"learner"}`), "must have one of"},
		{422, "POST", tokens, token(hash[:20], `{"hash":"`+hash+`","invites":"boss"}`), "spec.invites: Unsupported value"},
		{422, "PATCH", plane, `{"spec":{"authentication":{"tokens":[{"token":"x","user":"x"}]}}}`,
			"every member of a room can read this"},
		{422, "PATCH", rooms + "/default", `{"spec":{"frozen":"yes"}}`, "spec.frozen: Invalid value"},
		{422, "PATCH", rooms + "/default", `{"spec":{"maxMembers":0}}`, "must be a number from 1 to 1000"},
		{422, "PATCH", rooms + "/default", `{"spec":{"exam":7}}`, "spec.exam: Invalid value"},
		{422, "PATCH", rooms + "/default", `{"spec":{"exam":{"seed":7}}}`, "spec.exam.questions: Required value"},
		{422, "PATCH", rooms + "/default", `{"spec":{"exam":{"seed":0,"questions":31}}}`, "must be a number from 1 to 30"},
		{422, "PATCH", rooms + "/default", `{"spec":{"exam":{"seed":1,"questions":3,"each":1}}}`, "must be true or false"},
		{422, "PATCH", rooms + "/default", `{"spec":{"exam":{"seed":1,"questions":3,"x":1}}}`, "Unsupported value"},
		{200, "PATCH", rooms + "/default", `{"spec":{"exam":{"seed":1,"questions":3,"each":true}}}`, `"seed":1`},
		{400, "POST", rooms + "/default/invite", `{"role":"boss"}`, "role: Unsupported value"},
		{400, "POST", rooms + "/default/invite", `{}`, "role: Required value"},
		{400, "POST", rooms + "/default/invite", `{"rule":"x"}`, `unknown field "rule"`},
		{403, "POST", rooms + "/default/join", `{"displayName":"A"}`, "needs the token of an invitation"},
	} {
		code, text := requestAs(c.Cluster, "Authorization: Bearer chalk", test.method, test.path, test.body)
		text = strings.ReplaceAll(text, `\"`, `"`)
		if code != test.code || !strings.Contains(text, test.want) {
			t.Errorf("%s %s %s: %d %s, want %s", test.method, test.path, test.body, code, text, test.want)
		}
	}
}

// TestNoRoom checks that a cluster that is no room has nothing of it.
func TestNoRoom(t *testing.T) {
	c := newCluster(t, Options{})
	for _, path := range []string{rooms, members, tokens} {
		if code, _ := call(t, c, "GET", path, ""); code != 404 {
			t.Errorf("%s: %d", path, code)
		}
	}
}
