package room_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
)

// follow opens a follow stream, and returns it with its first frames up to SYNCED.
func (c classroom) follow(token string) (*tail, []map[string]any) {
	c.Helper()
	s := follow(c.T, c.as(token), rooms+"/default/follow")
	var first []map[string]any
	for f := s.Next(); f["type"] != "SYNCED"; f = s.Next() {
		if first = append(first, f); f == nil {
			c.Fatal("the stream has ended")
		}
	}
	return s, first
}

// TestFollow has a teacher show a view and a learner report, and checks who learns of it.
func TestFollow(t *testing.T) {
	c := newClassroom(t, Options{Clock: clock.Real()})
	ada, adas := c.join("learner", "Ada")
	_, graces := c.join("learner", "Grace")
	teacher, first := c.follow("chalk")
	hello := first[0]
	if epoch, _ := hello["epoch"].(string); hello["type"] != "HELLO" || hello["you"] != "teacher" || len(epoch) != 16 {
		t.Errorf("it begins with %v", hello)
	}
	if text := fmt.Sprint(first); len(first) != 5 || !strings.Contains(text, "here:1 name:teacher") ||
		!strings.Contains(text, "here:0 name:"+ada) || !strings.Contains(text, "show:<nil>") {
		t.Errorf("at first there are %v", first)
	}
	grace, _ := c.follow(graces)
	learner, first := c.follow(adas)
	if f := first[0]; f["you"] != ada || f["role"] != "learner" {
		t.Errorf("ada's begins with %v", f)
	}
	teacher.until(`"name":"` + ada + `","displayName":"Ada","role":"learner","here":1`)
	const progress = `{"lesson":"watch","step":3,"steps":8,"right":2,"wrong":1,"beliefs":"3.1","exam":"7 r1."}`
	c.expect(201, adas, "POST", rooms+"/default/report", `{"progress":`+progress+`}`)
	const view = `{"lesson":"watch","panel":"stage","revision":57,"selected":"pods/default/a","step":3}`
	c.expect(201, "chalk", "POST", rooms+"/default/show", `{"view":`+view+`}`)
	const shown = `{"type":"SHOW","show":{"by":"teacher","view":` + view + `}}`
	reported := `{"type":"PROGRESS","member":"` + ada + `","progress":` + progress + `}`
	for name, s := range map[string]*tail{"teacher": teacher, "ada": learner, "grace": grace} {
		if got := s.until(shown); strings.Contains(got, reported) == (name == "grace") {
			t.Errorf("%s reads\n%s", name, got)
		}
	}
	c.expect(201, adas, "POST", rooms+"/default/report?dryRun=All", `{"progress":null}`)
	c.expect(201, adas, "POST", rooms+"/default/report", `{"progress":null}`)
	teacher.until(`"progress":null`)
	// Nothing of it is stored.
	_, snapshot := requestAs(c.Cluster, "Authorization: Bearer chalk", "GET", plane+"/snapshot", "")
	if strings.Contains(snapshot, `"steps"`) || strings.Contains(snapshot, `"panel"`) {
		t.Error("the snapshot has what was shown or reported")
	}
	// A new name does not end a stream, a new role does.
	c.expect(200, "chalk", "PATCH", members+"/"+ada, `{"spec":{"displayName":"A. L."}}`)
	learner.until(`"A. L."`)
	c.expect(200, "chalk", "PATCH", members+"/"+ada, `{"spec":{"role":"spectator"}}`)
	if !learner.ended(`"spectator"`) {
		t.Error("a stream goes on with another role")
	}
	if _, first := c.follow(adas); first[0]["role"] != "spectator" {
		t.Errorf("the next begins with %v", first[0])
	}
}

// TestFollowIsRefused lists who may not follow, show and report, and what they may not say.
func TestFollowIsRefused(t *testing.T) {
	c := newClassroom(t, Options{})
	ada, adas := c.join("learner", "Ada")
	invited := c.expect(201, "chalk", "POST", rooms+"/default/invite", `{"role":"teacher"}`)
	invitation := at(invited, "status.token").(string)
	long := strings.Repeat("x", 3000)
	for _, test := range []struct {
		token     string
		code      int
		act, body string
		want      string
	}{
		{invitation, 403, "follow", "", `User "invitation:teacher" cannot get resource "rooms/follow"`},
		{invitation, 403, "show", `{"view":{}}`, `cannot create resource "rooms/show"`},
		{invitation, 403, "report", `{"progress":{}}`, `cannot create resource "rooms/report"`},
		{"unknown", 401, "follow", "", "Unauthorized"},
		{adas, 403, "show", `{"view":{"revision":1}}`, "only who leads the room shows a view"},
		{adas, 403, "show?dryRun=All", `{"view":null}`, "only who leads the room shows a view"},
		{"chalk", 201, "show?dryRun=All", `{"view":{"revision":1}}`, ""},
		{"chalk", 201, "show", "", ""},
		{"chalk", 400, "show", `{"view":[]}`, "view: has to be an object or null"},
		{"chalk", 400, "show", `{"view":{"a":{}}}`, "view: a: has to be a text"},
		{"chalk", 400, "show", `{"view":{"a":"` + long + `"}}`, "at most 2048 bytes"},
		{"chalk", 400, "show", `{"vew":{}}`, `unknown field "vew"`},
		{adas, 400, "report", `{"progress":"good"}`, "progress: has to be an object or null"},
		{adas, 400, "report", `{"progress":{"stp":1}}`, `progress: Unsupported value: "stp"`},
		{adas, 400, "report", `{"progress":{"step":"1"}}`, "progress.step: Invalid value"},
		{adas, 400, "report", `{"progress":{"step":-1}}`, "must be a number from 0 to 10000"},
		{adas, 400, "report", `{"progress":{"lesson":"` + long + `"}}`, "at most 100 bytes"},
		{adas, 400, "report", `{"progress":{"exam":"` + long + `"}}`, "at most 100 bytes"},
		{adas, 400, "report", `{"progress":{"beliefs":3}}`, "at most 100 bytes"},
		{"chalk", 405, "follow", "{}", "does not allow this method"},
	} {
		method := "POST"
		if test.act == "follow" && test.body == "" {
			method = "GET"
		}
		code, text := requestAs(c.Cluster, "Authorization: Bearer "+test.token, method, rooms+"/default/"+test.act, test.body)
		text = strings.ReplaceAll(text, `\"`, `"`)
		if code != test.code || !strings.Contains(text, test.want) {
			t.Errorf("%s %s: %d %s, want %d %s", test.act, test.body, code, text, test.code, test.want)
		}
	}
	// Someone who acts as somebody else does not follow in that name.
	as := "Impersonate-User: member:" + ada + "\nImpersonate-Group: sandbox.tabernetes.dev:members\n"
	code, text := requestAs(c.Cluster, as+"Authorization: Bearer chalk", "GET", rooms+"/default/follow", "")
	if code != 403 || !strings.Contains(text, "only a member of the room may do that, with its own token") {
		t.Errorf("impersonated: %d %s", code, text)
	}
	c.expect(404, "chalk", "POST", rooms+"/other/show", `{}`)
}

// TestFollowEndsWithTheRight checks that a stream ends with its token and with its member.
func TestFollowEndsWithTheRight(t *testing.T) {
	c := newClassroom(t, Options{Clock: clock.Real()})
	ada, first := c.join("learner", "Ada")
	other := c.expect(201, "chalk", "POST", members+"/"+ada+"/token", "")
	second := at(other, "status.token").(string)
	byFirst, _ := c.follow(first)
	bySecond, _ := c.follow(second)
	byFirst.until(`"here":2`)
	c.expect(200, "chalk", "DELETE", tokens+"/"+at(other, "metadata.name").(string), "")
	if !bySecond.ended("later") {
		t.Error("a stream goes on without its token")
	}
	byFirst.until(`"here":1`)
	c.expect(200, "chalk", "DELETE", members+"/"+ada, "")
	if byFirst.until(`{"name":"` + ada + `","gone":true}`); !byFirst.ended("") {
		t.Error("a stream goes on without its member")
	}
}

// TestHandOver gives the lead to a learner and takes it back.
func TestHandOver(t *testing.T) {
	c := newClassroom(t, Options{Clock: clock.Real()})
	ada, adas := c.join("learner", "Ada")
	_, seconds := c.join("teacher", "Second")
	s, _ := c.follow(adas)
	view := func(n int) string { return fmt.Sprintf(`{"view":{"revision":%d}}`, n) }
	c.expect(201, seconds, "POST", rooms+"/default/show", view(1))
	s.until(`{"revision":1}`)
	c.expect(403, adas, "PATCH", rooms+"/default", `{"spec":{"leader":"`+ada+`"}}`)
	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"leader":"`+ada+`"}}`)
	s.until(`"show":null`) // the view of who does not lead any more
	c.expect(403, "chalk", "POST", rooms+"/default/show", view(2))
	c.expect(201, adas, "POST", rooms+"/default/show", view(3))
	s.until(`{"by":"` + ada + `","view":{"revision":3}}`)
	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"leader":null}}`)
	s.until(`"show":null`)
	c.expect(403, adas, "POST", rooms+"/default/show", view(4))
	c.expect(201, "chalk", "POST", rooms+"/default/show", view(5))
	for _, leader := range []string{`7`, `"Not A Name"`} {
		c.expect(422, "chalk", "PATCH", rooms+"/default", `{"spec":{"leader":`+leader+`}}`)
	}
}

// TestFollowOutlivesAReset checks that a reset ends streams, and that what is shown and reported stays.
func TestFollowOutlivesAReset(t *testing.T) {
	saved := new(journal.Memory)
	c := newClassroom(t, Options{Clock: clock.Real(), Storage: saved})
	ada, adas := c.join("learner", "Ada")
	s, first := c.follow("chalk")
	epoch := first[0]["epoch"]
	c.expect(201, "chalk", "POST", rooms+"/default/show", `{"view":{"revision":1}}`)
	c.expect(201, adas, "POST", rooms+"/default/report", `{"progress":{"lesson":"watch"}}`)
	c.expect(201, "chalk", "POST", plane+"/reset", "")
	if !s.ended("later") {
		t.Error("a stream of the old cluster goes on")
	}
	s, first = c.follow("chalk")
	text := fmt.Sprint(first)
	for _, want := range []string{"here:1 name:teacher", "here:0 name:" + ada, "view:map[revision:1]", "lesson:watch"} {
		if !strings.Contains(text, want) {
			t.Errorf("after the reset there is no %s: %s", want, text)
		}
	}
	if first[0]["epoch"] != epoch {
		t.Error("the epoch is another one")
	}
	// The new cluster tells the hub of its members.
	c.expect(200, "chalk", "DELETE", members+"/"+ada, "")
	s.until(`{"name":"` + ada + `","gone":true}`)
	c.join("learner", "Grace")
	s.until(`"Grace"`)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if !s.ended("later") {
		t.Error("a stream outlives its server")
	}
	other := strings.NewReader(strings.Repeat("other", 1000))
	again := newClassroom(t, Options{Clock: clock.Real(), Storage: saved, Rand: other})
	if _, first := again.follow("chalk"); first[0]["epoch"] == epoch || strings.Contains(fmt.Sprint(first), "revision:1") {
		t.Errorf("another server begins with %v", first)
	}
}
