package room_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/room"
)

// ofWhom returns what a member has of the room, as a teacher sees it.
func (c classroom) ofWhom(name string) (objects, bytes int) {
	c.Helper()
	for _, one := range c.expect(200, "chalk", "GET", rooms+"/default/usage", "")["members"].([]any) {
		if at(one, "name") == name {
			return int(at(one, "objects").(float64)), int(at(one, "bytes").(float64))
		}
	}
	return 0, 0
}

// big returns a ConfigMap of about some kilobytes.
func big(name string, kilobytes int) string {
	return configMap(name, strings.Repeat("x", kilobytes<<10))
}

// TestOneFills has a learner fill its share, of bytes and of objects. Others and the teacher notice nothing.
func TestOneFills(t *testing.T) {
	c := newClassroom(t, Options{})
	ada, adas := c.join("learner", "Ada")
	_, graces := c.join("learner", "Grace")
	c.expect(201, adas, "POST", configMaps, big("a", 600))
	full := c.expect(403, adas, "POST", configMaps, big("b", 600))
	if m := full["message"].(string); full["reason"] != "Forbidden" || !strings.HasPrefix(m, `configmaps "b" is `+
		`forbidden: exceeded quota of the room: your objects have 614`) || !strings.HasSuffix(m, ` more, and your share `+
		`(spec.quotas.bytesPerMember) is 1048576: delete objects, or let a teacher allow more in rooms/default`) {
		t.Errorf("%v", full)
	}
	c.expect(403, adas, "POST", configMaps+"?dryRun=All", big("b", 600))
	c.quotas(`{"bytesPerMember":900000}`)
	c.expect(403, adas, "PUT", configMaps+"/a", big("a", 1000))
	c.expect(200, adas, "PUT", configMaps+"/a", big("a", 500))
	c.expect(201, graces, "POST", configMaps, big("g", 600))
	c.quotas(`{"objectsPerMember":3}`)
	for _, name := range []string{"b", "c"} {
		c.expect(201, adas, "POST", configMaps, configMap(name, ""))
	}
	full = c.expect(403, adas, "POST", configMaps, configMap("d", ""))
	if m := full["message"].(string); !strings.Contains(m, "you have 3 objects, and your share "+
		"(spec.quotas.objectsPerMember) is 3") {
		t.Error(m)
	}
	// A teacher has four times as much, and a smaller share takes nothing away.
	for n := range 12 {
		c.expect(201, "chalk", "POST", configMaps, configMap(fmt.Sprint("t-", n), ""))
	}
	c.expect(403, "chalk", "POST", configMaps, configMap("t-12", ""))
	c.quotas(`{"objectsPerMember":1}`)
	c.expect(200, adas, "PUT", configMaps+"/b", configMap("b", ""))
	c.expect(200, adas, "DELETE", configMaps+"/b", "")
	if objects, _ := c.ofWhom(ada); objects != 2 {
		t.Errorf("%d objects", objects)
	}
}

// TestWhoPays has learners change each other's objects: the member who makes one larger pays for it, so nobody can
// fill the share of another. It is so after a compaction and a restart, too.
func TestWhoPays(t *testing.T) {
	saved := new(journal.Memory)
	c := newClassroom(t, Options{Storage: saved})
	ada, adas := c.join("learner", "Ada")
	grace, graces := c.join("learner", "Grace")
	check := func(step string, adasWant, gracesWant, adasKilobytes, gracesKilobytes int) {
		t.Helper()
		a, aBytes := c.ofWhom(ada)
		g, gBytes := c.ofWhom(grace)
		if a != adasWant || g != gracesWant || aBytes>>10 != adasKilobytes || gBytes>>10 != gracesKilobytes {
			t.Errorf("%s: Ada has %d objects of %d KiB, Grace %d of %d; want %d of %d, %d of %d", step, a, aBytes>>10, g,
				gBytes>>10, adasWant, adasKilobytes, gracesWant, gracesKilobytes)
		}
	}
	c.expect(201, adas, "POST", configMaps, big("a", 100))
	c.expect(201, graces, "POST", configMaps, big("g", 10))
	check("at first", 1, 1, 100, 10)
	c.expect(200, graces, "PUT", configMaps+"/a", big("a", 200))
	check("Grace makes it larger", 0, 2, 0, 210)
	c.expect(200, adas, "PUT", configMaps+"/a", big("a", 150))
	check("Ada makes it smaller", 0, 2, 0, 160)
	c.quotas(`{"bytesPerMember":250000}`)
	c.expect(403, adas, "PUT", configMaps+"/a", big("a", 300))
	c.expect(200, adas, "PATCH", configMaps+"/a?dryRun=All", `{"data":{"w":"some more"}}`)
	check("Ada cannot pay", 0, 2, 0, 160)
	c.expect(200, adas, "PUT", configMaps+"/g", big("g", 20))
	check("Ada makes one larger", 1, 1, 20, 150)
	c.expect(201, "chalk", "POST", plane+"/compact", "")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = newClassroom(t, Options{Storage: saved})
	check("after a restart", 1, 1, 20, 150)
	c.expect(200, adas, "DELETE", configMaps, "")
	check("in the end", 0, 0, 0, 0)
	c.expect(201, "chalk", "POST", plane+"/reset", "")
	check("after a reset", 0, 0, 0, 0)
}

// withoutOwners reads a log, and returns it as a snapshot whose versions are without owners, and how many had some.
func withoutOwners(t *testing.T, log []byte) (old []byte, had int) {
	t.Helper()
	var (
		events []*mvcc.Event
		meta   []byte
		at     mvcc.Extent
	)
	found, err := journal.Read(bytes.NewReader(log), journal.Visitor{
		Header: func(b []byte) (bool, error) { meta = bytes.Clone(b); return false, nil },
		Record: func(r mvcc.Record) error {
			if r.Owners != nil {
				had++
			}
			at.Head = r.Revision
			events = append(events, &mvcc.Event{Bucket: r.Bucket, Key: r.Key, Time: r.Time, Version: &mvcc.Version{
				Revision: r.Revision, Created: r.Created, Deleted: r.Deleted, Value: bytes.Clone(r.Value), Author: r.Author,
			}})
			return nil
		},
		Position: func(head, compacted int64) error { at = mvcc.Extent{Head: head, Compacted: compacted}; return nil },
	})
	if err != nil || found.Problem != nil {
		t.Fatal(err, found.Problem)
	}
	var b bytes.Buffer
	if err := journal.Write(&b, meta, events, at); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), had
}

// TestOldLog opens a room whose log is from before objects had owners: who has written them owns them.
func TestOldLog(t *testing.T) {
	saved := new(journal.Memory)
	c := newClassroom(t, Options{Storage: saved})
	ada, adas := c.join("learner", "Ada")
	c.expect(201, adas, "POST", configMaps, big("a", 100))
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	old, had := withoutOwners(t, saved.Bytes())
	if had == 0 {
		t.Fatal("the log has no owners")
	}
	c = newClassroom(t, Options{Storage: journal.NewMemory(old)})
	if objects, size := c.ofWhom(ada); objects != 1 || size>>10 != 100 {
		t.Errorf("%d objects of %d bytes", objects, size)
	}
	c.expect(200, adas, "GET", configMaps+"/a", "")
}

// TestPlainLog checks that the log of a cluster that is no room has no owners.
func TestPlainLog(t *testing.T) {
	saved := new(journal.Memory)
	c := newCluster(t, Options{Storage: saved})
	must(t, c, 201, "POST", configMaps, configMap("a", ""))
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, had := withoutOwners(t, saved.Bytes()); had > 0 {
		t.Errorf("%d versions have owners", had)
	}
}

// TestUsage checks who learns what members take, and that a burst ends with no requests.
func TestUsage(t *testing.T) {
	c := newClassroom(t, Options{Clock: clock.Real()})
	ada, adas := c.join("learner", "Ada")
	grace, graces := c.join("learner", "Grace")
	teacher, _ := c.follow("chalk")
	learner, _ := c.follow(graces)
	c.expect(201, adas, "POST", configMaps, big("a", 10))
	frame := `{"type":"USAGE","member":"` + ada + `","usage":{"objects":1,"bytes":10`
	quiet := `"requestsPerSecond":0,"watches":0,"share":{"objects":500,"bytes":1048576}}`
	// On a slow machine the second of the request is over when the first frame is sent.
	first := strings.Split(strings.TrimSpace(teacher.until(frame)), "\n")
	if !strings.Contains(first[len(first)-1], quiet) {
		teacher.until(quiet)
	}
	c.expect(201, graces, "POST", configMaps, configMap("g", ""))
	got := learner.until(`{"type":"USAGE","member":"` + grace + `","usage":{"objects":1,`)
	if strings.Contains(got, frame) {
		t.Errorf("Grace is told of Ada:\n%s", got)
	}
	// Those who follow later learn what there is.
	late, _ := c.follow("chalk")
	late.Stop()
	all := c.expect(200, "chalk", "GET", rooms+"/default/usage", "")
	if all["kind"] != "RoomUsage" || len(all["members"].([]any)) != 3 || at(all, "share.objects") != 500.0 {
		t.Errorf("%v", all)
	}
	own := c.expect(200, adas, "GET", rooms+"/default/usage", "")["members"].([]any)
	if len(own) != 1 || at(own[0], "name") != ada || at(own[0], "objects") != 1.0 || at(own[0], "role") != "learner" {
		t.Errorf("%v", own)
	}
	c.expect(200, "chalk", "DELETE", members+"/"+ada, "")
	for _, one := range c.expect(200, "chalk", "GET", rooms+"/default/usage", "")["members"].([]any) {
		if at(one, "name") == ada && (at(one, "gone") != true || at(one, "objects") != 1.0) {
			t.Errorf("%v", one)
		}
	}
	invited := c.expect(201, "chalk", "POST", rooms+"/default/invite", `{"role":"learner"}`)
	c.expect(403, at(invited, "status.token").(string), "GET", rooms+"/default/usage", "")
}

// TestPurgeAMember removes what a member has created, in spite of finalizers, and nothing else.
func TestPurgeAMember(t *testing.T) {
	c := newClassroom(t, Options{Storage: new(journal.Memory)})
	ada, adas := c.join("learner", "Ada")
	_, graces := c.join("learner", "Grace")
	tess, tesss := c.join("teacher", "Tess")
	c.expect(201, adas, "POST", configMaps, `{"metadata":{"name":"held","finalizers":["example.com/x"]}}`)
	c.expect(201, adas, "POST", configMaps, configMap("a", ""))
	c.expect(201, graces, "POST", configMaps, configMap("g", ""))
	c.expect(200, adas, "PUT", configMaps+"/g", configMap("g", "larger"))
	for _, name := range []string{"own", "shared"} {
		c.expect(201, tesss, "POST", "/api/v1/namespaces", `{"metadata":{"name":"`+name+`"}}`)
		c.expect(201, tesss, "POST", "/api/v1/namespaces/"+name+"/configmaps", configMap("t", ""))
	}
	c.expect(201, graces, "POST", "/api/v1/namespaces/shared/configmaps", configMap("g", ""))
	c.expect(403, graces, "POST", rooms+"/default/purge", `{"member":"`+ada+`"}`)
	c.expect(400, "chalk", "POST", rooms+"/default/purge", `{"member":""}`)
	purge := func(name, query string, want float64) {
		t.Helper()
		got := c.expect(201, "chalk", "POST", rooms+"/default/purge"+query, `{"member":"`+name+`"}`)
		if at(got, "details.removed") != want || got["kind"] != "Status" || got["status"] != "Success" {
			t.Errorf("%v, want %v", got, want)
		}
	}
	purge(ada, "?dryRun=All", 2)
	c.expect(200, adas, "GET", configMaps+"/held", "")
	c.expect(200, "chalk", "DELETE", members+"/"+ada, "")
	purge(ada, "", 2)
	purge(ada, "", 0)
	c.expect(404, graces, "GET", configMaps+"/held", "")
	c.expect(200, graces, "GET", configMaps+"/g", "")
	purge(tess, "?dryRun=All", 3) // its own namespace with what is in it, and what it has in the other one
	purge(tess, "", 3)
	c.expect(404, graces, "GET", "/api/v1/namespaces/own", "")
	c.expect(404, graces, "GET", "/api/v1/namespaces/shared/configmaps/t", "")
	c.expect(200, graces, "GET", "/api/v1/namespaces/shared/configmaps/g", "")
	c.expect(200, tesss, "GET", members+"/"+tess, "") // what governs the room stays
	purge("teacher", "", 0)
}

// TestTheLastTeacherCannotBeRemoved tries every way to leave a room without a teacher.
func TestTheLastTeacherCannotBeRemoved(t *testing.T) {
	c := newClassroom(t, Options{Storage: new(journal.Memory)})
	c.join("learner", "Ada")
	const teacher = members + "/teacher"
	for _, try := range []struct{ method, path, body string }{
		{"DELETE", teacher, ""},
		{"DELETE", teacher + "?dryRun=All", ""},
		{"DELETE", teacher + "?propagationPolicy=Foreground", ""},
		{"DELETE", members, ""},
		{"PATCH", teacher, `{"spec":{"role":"learner"}}`},
		{"PATCH", teacher + "?dryRun=All", `{"spec":{"role":"learner"}}`},
		{"PUT", teacher, `{"metadata":{"name":"teacher"},"spec":{"displayName":"T","role":"spectator"}}`},
		{"POST", teacher + "/leave", ""},
	} {
		got := c.expect(403, "chalk", try.method, try.path, try.body)
		if m := got["message"].(string); !strings.Contains(m, "it is the only teacher: the room needs another one first") {
			t.Errorf("%s %s: %s", try.method, try.path, m)
		}
	}
	_, next := c.join("teacher", "Next")
	c.expect(200, "chalk", "PATCH", teacher, `{"spec":{"role":"learner"}}`)
	c.expect(200, next, "GET", tokens, "")
	c.expect(403, "chalk", "GET", tokens, "")
}

// TestBeingDeleted holds a Member with a finalizer: it has no access all the same.
func TestBeingDeleted(t *testing.T) {
	c := newClassroom(t, Options{})
	ada, adas := c.join("learner", "Ada")
	c.expect(200, "chalk", "PATCH", members+"/"+ada, `{"metadata":{"finalizers":["example.com/x"]}}`)
	c.expect(200, adas, "GET", configMaps, "")
	c.expect(200, "chalk", "DELETE", members+"/"+ada, "")
	c.expect(401, adas, "GET", configMaps, "")
	c.expect(401, adas, "POST", configMaps, configMap("a", ""))
	c.expect(200, "chalk", "GET", members+"/"+ada, "")
	// A teacher who is being deleted does not count: the other one stays.
	_, tess := c.join("teacher", "Tess")
	c.expect(200, "chalk", "PATCH", members+"/teacher", `{"metadata":{"finalizers":["example.com/x"]}}`)
	c.expect(200, tess, "DELETE", members+"/teacher", "")
	c.expect(401, "chalk", "GET", configMaps, "")
	all := c.expect(200, tess, "GET", members, "")["items"].([]any)
	for _, one := range all {
		if at(one, "spec.displayName") == "Tess" {
			c.expect(403, tess, "DELETE", members+"/"+at(one, "metadata.name").(string), "")
		}
	}
}

// TestNamesAreUnique gives members names that look like those of others.
func TestNamesAreUnique(t *testing.T) {
	c := newClassroom(t, Options{})
	ada, adas := c.join("learner", "Ada")
	invited := c.expect(201, "chalk", "POST", rooms+"/default/invite", `{"role":"learner"}`)
	invitation := at(invited, "status.token").(string)
	for name, want := range map[string]string{
		"Ada": `has the name "Ada", or a similar one: choose another, such as "Ada 2"`, "ａｄａ": "such as", " ada. ": "such as",
		"Аdа": "such as", "Ádà": "such as", "Teacher": `such as "Teacher 2"`, "TEACHER!": "such as", "𝐓eacher": "such as",
		"Aḍa": "such as", "Ṫeacher": "such as", "ᵀᵉᵃᶜʰᵉʳ": "such as", "🅣eacher": "such as", "ᴛeacher": "such as",
		"Teacher`": "such as", "Teacher~": "such as",
	} {
		got := c.expect(409, invitation, "POST", rooms+"/default/join", `{"displayName":"`+name+`"}`)
		if m := got["message"].(string); !strings.Contains(m, want) {
			t.Errorf("%q: %s", name, m)
		}
	}
	c.expect(400, invitation, "POST", rooms+"/default/join", `{"displayName":"A`+strings.Repeat("\u0301", 3)+`"}`)
	c.expect(400, invitation, "POST", rooms+"/default/join", `{"displayName":"A\u3164"}`)
	c.expect(409, adas, "POST", members+"/"+ada+"/rename", `{"displayName":"Teacher"}`)
	c.expect(201, adas, "POST", members+"/"+ada+"/rename", `{"displayName":"ADA"}`)
	c.expect(409, "chalk", "POST", members, `{"metadata":{"name":"x"},"spec":{"displayName":"Ada","role":"learner"}}`)
	// A name is free again when its member is called otherwise; that of the first teacher only for teachers.
	c.expect(201, adas, "POST", members+"/"+ada+"/rename", `{"displayName":"Grace"}`)
	c.join("learner", "Ada")
	c.join("learner", "Андрей")
	c.expect(409, invitation, "POST", rooms+"/default/join", `{"displayName":"Андреи\u0306"}`)
	c.expect(201, "chalk", "POST", members+"/teacher/rename", `{"displayName":"Ms. Hopper"}`)
	c.expect(409, adas, "POST", members+"/"+ada+"/rename", `{"displayName":"teacher"}`)
	c.join("teacher", "Teacher")
}

// TestInvitationOfAMember checks that a Member says by which link it has come.
func TestInvitationOfAMember(t *testing.T) {
	c := newClassroom(t, Options{})
	invited := c.expect(201, "chalk", "POST", rooms+"/default/invite", `{"role":"learner"}`)
	joined := c.expect(201, at(invited, "status.token").(string), "POST", rooms+"/default/join", `{"displayName":"Ada"}`)
	member := c.expect(200, "chalk", "GET", members+"/"+at(joined, "spec.member").(string), "")
	if at(member, "spec.invitation") != at(invited, "metadata.name") {
		t.Errorf("%v", member)
	}
	c.expect(200, "chalk", "DELETE", tokens+"/"+at(invited, "metadata.name").(string), "")
	c.expect(401, at(invited, "status.token").(string), "POST", rooms+"/default/join", `{"displayName":"Late"}`)
	c.expect(200, at(joined, "status.token").(string), "GET", configMaps, "")
}

// TestHostsTeacher gets a teacher's token as those who run the host do: of the first one, or of a new one.
func TestHostsTeacher(t *testing.T) {
	c := newClassroom(t, Options{})
	token, err := c.Room.TeacherToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.expect(200, token, "GET", tokens, "")
	made := c.expect(201, token, "POST", configMaps, configMap("a", ""))
	if len(c.expect(200, token, "GET", members, "")["items"].([]any)) != 1 || made == nil {
		t.Error("there is another member")
	}
	if _, err := room.NewExtension(room.Options{}).TeacherToken(t.Context()); err == nil {
		t.Error("a room that has no cluster has a teacher")
	}
	// A room from before it kept a teacher.
	row := room.Members
	if _, _, err := c.Instance().Registry.Delete(t.Context(), registry.Target{Resource: row, Name: "teacher"},
		registry.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.expect(401, token, "GET", tokens, "")
	if token, err = c.Room.TeacherToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.expect(200, token, "GET", tokens, "")
}

// TestWhoPaysForQuotas lets a learner create what a teacher's ResourceQuota counts: the server writes the quota then,
// and the teacher still pays for it.
func TestWhoPaysForQuotas(t *testing.T) {
	c := newClassroom(t, Options{Storage: new(journal.Memory)})
	_, adas := c.join("learner", "Ada")
	const quotas = "/api/v1/namespaces/default/resourcequotas"
	const limit = `{"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"10"}},"status":{"hard":{"configmaps":"10"},` +
		`"used":{"configmaps":"9"}}}`
	before, _ := c.ofWhom("teacher")
	c.expect(201, "chalk", "POST", quotas, limit)
	c.expect(200, "chalk", "PUT", quotas+"/q/status", limit)
	c.expect(201, adas, "POST", configMaps, configMap("a", ""))
	c.expect(403, adas, "POST", configMaps, configMap("b", ""))
	if now, _ := c.ofWhom("teacher"); now != before+1 {
		t.Errorf("the teacher pays for %d objects, and before for %d", now, before)
	}
}
