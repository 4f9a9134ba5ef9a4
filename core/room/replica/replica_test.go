package replica_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/room"
	"github.com/tabernetes/tabernetes/core/room/internal/roomtest"
	"github.com/tabernetes/tabernetes/core/room/replica"
)

const gadgets = "/apis/stable.example.com/v1/namespaces/default/gadgets"

// TestReplica writes by chance to a room, and compares the reads of members with those of their
// copies, at several revisions, byte for byte.
func TestReplica(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { replicate(t, rand.New(rand.NewPCG(seed, 3))) })
	}
}

func replicate(t *testing.T, r *rand.Rand) {
	c := roomtest.New(t, core.Options{})
	_, ada := c.Join("learner", "Ada")
	sam, sams := c.Join("spectator", "Sam")
	c.Expect(201, "chalk", "POST", apitest.Definitions, apitest.CronTabs("gadgets", "Gadget", "gd"))
	apitest.Condition(t, as(c, "chalk"), "gadgets", "Established", "True")
	c.Expect(201, "chalk", "POST", "/api/v1/namespaces", `{"metadata":{"name":"team"}}`)
	// Sam sees the secrets of one namespace.
	c.Expect(201, "chalk", "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings", `{"metadata":{
		"name":"sam"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",
		"name":"system:aggregate-to-edit"},"subjects":[{
		"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"member:`+sam+`"}]}`)
	var copies []*relayed
	for _, token := range []string{"chalk", ada, sams} {
		copies = append(copies, newRelayed(t, c.Cluster, token))
	}
	copies[2].catchUp()
	places := []string{
		"/api/v1/namespaces/default/configmaps", "/api/v1/namespaces/team/configmaps",
		"/api/v1/namespaces/default/secrets", "/api/v1/namespaces/team/secrets", gadgets,
	}
	for op := range 120 {
		place, name := places[r.IntN(len(places))], fmt.Sprintf("o%d", r.IntN(6))
		_, found := requestAs(c.Cluster, "Authorization: Bearer chalk", "GET", place+"/"+name, "")
		exists := !strings.Contains(found, `"NotFound"`)
		switch p := r.IntN(100); {
		case p < 4 && op > 40:
			c.Expect(201, "chalk", "POST", plane+"/compact", fmt.Sprintf(`{"revision":%d}`, head(c)-int64(r.IntN(20))))
		case p < 6:
			c.Expect(201, "chalk", "POST", plane+"/advance", `{"seconds":1}`)
		case p < 10: // as if the connection had been lost
			one := copies[r.IntN(len(copies))]
			one.disconnect()
			one.connect()
		case exists && p < 30:
			c.Expect(200, "chalk", "DELETE", place+"/"+name, "")
		case exists:
			c.Expect(200, "chalk", "PATCH", place+"/"+name, fmt.Sprintf(`{"metadata":{"labels":{"a":"%d"}}}`, op%2))
		default:
			c.Expect(201, "chalk", "POST", place, labelled(place, name, fmt.Sprint(op%2)))
		}
	}
	for _, place := range places {
		c.Expect(201, "chalk", "POST", place, labelled(place, "sentinel", "1"))
	}
	for _, one := range copies {
		one.catchUp()
		one.T = t
		compareReads(one, places)
	}
	// What the lab's stage shows of commits and of the state.
	want, got := revisionsOf(t, as(c, "chalk"), head(c)), revisionsOf(t, copies[0], head(c))
	if got != want || !strings.Contains(got, `"user":"teacher"`) {
		t.Errorf("the copy's revisions are\n%s\nthose of the room\n%s", got, want)
	}
	for i, want := range []int{200, 200, 403} { // only a spectator may not read Secrets
		if got, _ := call(t, copies[i].Cluster, "GET", "/api/v1/secrets", ""); got != want {
			t.Errorf("%s: the copy answers %d", copies[i].token, got)
		}
	}
}

// labelled returns an object for a collection.
func labelled(place, name, label string) string {
	kind := ""
	if place == gadgets {
		kind = `"apiVersion":"stable.example.com/v1","kind":"Gadget",`
	}
	return fmt.Sprintf(`{%s"metadata":{"name":%q,"labels":{"a":%q}}}`, kind, name, label)
}

// revisionsOf returns the frames of the revisions stream up to the commit of a revision, without
// those of tokens.
func revisionsOf(t *testing.T, h http.Handler, head int64) string {
	t.Helper()
	s := follow(t, h, plane+"/revisions")
	defer s.Stop()
	var all strings.Builder
	for s.Lines.Scan() {
		line := s.Lines.Text()
		if !strings.Contains(line, `"kind":"RoomToken"`) {
			fmt.Fprintln(&all, line)
		}
		if strings.Contains(line, fmt.Sprintf(`"COMMIT","commit":{"revision":%d,`, head)) {
			break
		}
	}
	return all.String()
}

// head returns the head revision of a room.
func head(c roomtest.Classroom) int64 { return c.Instance().Registry.Store.Status().Head }

func compareReads(r *relayed, places []string) {
	at := r.room.Instance().Registry.Store.Status()
	revisions := []int64{at.Compacted - 1, at.Compacted, (at.Compacted + at.Head) / 2, at.Head - 3, at.Head - 9, at.Head}
	for _, path := range []string{
		"/api", "/apis", "/apis/stable.example.com/v1", "/version",
		"/api/v1/configmaps", "/api/v1/secrets", "/api/v1/namespaces",
		"/api/v1/namespaces/team", "/apis/stable.example.com/v1/gadgets", members, rooms, "/api/v1/nodes", "/api/v1/events",
		"/apis/rbac.authorization.k8s.io/v1/clusterroles", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
		"/apis/unknown/v1/things", "/api/v1/namespaces/default/configmaps/none",
	} {
		r.compare(path)
	}
	for _, place := range places {
		r.compare(place + "/o1")
		r.compare(place + "?labelSelector=a%3D1")
		r.compare(place + "?fieldSelector=metadata.name%3Do2")
		for _, rev := range revisions {
			r.compare(fmt.Sprintf("%s?resourceVersionMatch=Exact&resourceVersion=%d", place, rev))
			path := fmt.Sprintf("%s?watch=1&resourceVersion=%d&labelSelector=a%%3D1", place, rev)
			if code, _ := requestAs(r.room, "Authorization: Bearer "+r.token, "GET", place, ""); code != 200 {
				r.compare(path)
				continue
			}
			if rev > at.Head-int64(len(places)) { // the sentinel is not above it
				continue
			}
			for _, path := range []string{
				fmt.Sprintf("%s?watch=1&resourceVersion=%d", place, rev),
				fmt.Sprintf("%s?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan", place),
			} {
				want, got := watched(r.T, r.room, path, r.token), watched(r.T, r.Cluster, path, "")
				if got != want {
					r.Errorf("%s: %s: the copy sends\n%s\nthe room\n%s", r.token, path, got, want)
				}
			}
		}
		page := place + "?limit=2"
		for {
			var list struct{ Metadata struct{ Continue string } }
			if err := json.Unmarshal([]byte(r.compare(page)), &list); err != nil {
				r.Fatal(err)
			}
			if list.Metadata.Continue == "" {
				break
			}
			page = place + "?limit=2&continue=" + list.Metadata.Continue
		}
	}
}

// TestRelayHidesWhatMayNotBeRead searches the streams of members for the value of a Secret, and
// for what is stored of tokens: first as their roles are, then while a teacher changes their
// rights.
func TestRelayHidesWhatMayNotBeRead(t *testing.T) {
	const value = "c3dvcmRmaXNo"
	c := roomtest.New(t, core.Options{})
	_, ada := c.Join("learner", "Ada")
	_, sams := c.Join("spectator", "Sam")
	secrets := "/api/v1/namespaces/default/secrets"
	// The learners of this room may not read Secrets.
	bindings := "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
	for _, name := range []string{"edit", "system:aggregate-to-edit"} {
		c.Expect(200, "chalk", "DELETE", bindings+"/sandbox.tabernetes.dev:learner:"+name, "")
	}
	c.Expect(403, ada, "GET", secrets, "")
	c.Expect(201, "chalk", "POST", secrets, `{"metadata":{"name":"old"},"data":{"k":"`+value+`"}}`)

	learner, spectator := newRelayed(t, c.Cluster, ada), newRelayed(t, c.Cluster, sams)
	teacher := newRelayed(t, c.Cluster, "chalk")
	learner.catchUp()
	c.Expect(201, "chalk", "POST", secrets, `{"metadata":{"name":"new"},"data":{"k":"`+value+`"}}`)
	c.Expect(200, "chalk", "DELETE", secrets+"/old", "")
	for _, one := range []*relayed{learner, spectator, teacher} {
		one.catchUp()
		if got, want := strings.Count(one.sent(), value), map[bool]int{true: 3}[one == teacher]; got != want {
			t.Errorf("%s: the value came %d times, want %d", one.token, got, want)
		}
		if strings.Contains(one.sent(), `"hash"`) || strings.Contains(one.sent(), "RoomToken") {
			t.Errorf("%s: tokens were relayed", one.token)
		}
	}
	if code, text := call(t, teacher.Cluster, "GET", tokens, ""); code != 403 || !strings.Contains(text, "ask the room") {
		t.Errorf("tokens: %d %s", code, text)
	}

	// Rights that are given begin the stream again, and those that are taken end it before the next
	// commit.
	c.Expect(201, "chalk", "POST", bindings, `{"metadata":{"name":"more"},"roleRef":{
		"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"system:aggregate-to-edit"},"subjects":[{
		"apiGroup":"rbac.authorization.k8s.io","kind":"Group","name":"sandbox.tabernetes.dev:learner"}]}`)
	if why := learner.ended(); why != "the member's rights have changed" {
		t.Fatal(why)
	}
	learner.connect()
	learner.catchUp()
	if !strings.Contains(learner.sent(), value) {
		t.Error("the value did not come to one who may read it")
	}
	learner.stream.Reset()
	c.Expect(200, "chalk", "DELETE", bindings+"/more", "")
	c.Expect(201, "chalk", "POST", secrets, `{"metadata":{"name":"third"},"data":{"k":"`+value+`"}}`)
	if why := learner.ended(); why != "the member's rights have changed" {
		t.Fatal(why)
	}
	learner.connect()
	learner.catchUp()
	if strings.Contains(learner.sent(), value) {
		t.Error("the value came to one who may not read it any more")
	}
	// A member that is removed is relayed nothing more.
	_, list := requestAs(c.Cluster, "Authorization: Bearer chalk", "GET", members, "")
	sam := regexp.MustCompile(`"name":"(sam-[^"]*)"`).FindStringSubmatch(list)[1]
	c.Expect(200, "chalk", "DELETE", members+"/"+sam, "")
	c.Expect(201, "chalk", "POST", configMaps, configMap("later", "1"))
	if why := spectator.ended(); why != "the credentials are not valid any more" {
		t.Error(why)
	}
	if strings.Contains(spectator.sent(), `"default/later"`) {
		t.Error("a member that was removed goes on reading")
	}
}

// TestSlowFollower has one member read nothing while much is written: the others get it at once, and
// the slow one has to begin again when what it lacks is compacted.
func TestSlowFollower(t *testing.T) {
	c := roomtest.New(t, core.Options{})
	quick := newRelayed(t, c.Cluster, "chalk")
	quick.catchUp()
	slow := follow(t, as(c, "chalk"), relays)
	if hello := slow.Next(); hello["type"] != "HELLO" {
		t.Fatal(hello)
	}
	value := strings.Repeat("x", 100<<10)
	for i := range 40 { // far more than is kept as lines
		c.Expect(201, "chalk", "POST", configMaps, configMap(fmt.Sprint("c", i), value))
	}
	quick.catchUp()
	c.Expect(201, "chalk", "POST", plane+"/compact", "")
	quick.catchUp()
	quick.compare(configMaps)
	synced := false
	for line := slow.Next(); ; line = slow.Next() {
		synced = synced || line["type"] == "SYNCED"
		if line["type"] == "END" {
			if !synced || !strings.Contains(line["reason"].(string), "were compacted") {
				t.Errorf("synced is %t: %v", synced, line)
			}
			break
		}
		if line == nil {
			t.Fatal("the stream ended without a reason")
		}
	}
}

// TestReplicaRefuses makes requests that a copy does not answer, and feeds it what is no stream.
func TestReplicaRefuses(t *testing.T) {
	c := roomtest.New(t, core.Options{})
	r := newRelayed(t, c.Cluster, "chalk")
	r.catchUp()
	for _, request := range []struct{ method, path string }{
		{"POST", configMaps}, {"PUT", configMaps + "/a"}, {"PATCH", configMaps + "/a"}, {"DELETE", configMaps + "/a"},
		{"DELETE", configMaps}, {"POST", plane + "/reset"}, {"POST", rooms + "/default/join"},
		{"GET", "/api/v1/namespaces/default/pods/a/exec"},
	} {
		code, text := call(t, r.Cluster, request.method, request.path, "{}")
		said := strings.Contains(text, "this is a copy of the room, which takes no writes")
		if code != 403 && code != 404 || code == 403 && !said {
			t.Errorf("%s %s: %d %s", request.method, request.path, code, text)
		}
	}
	code, text := call(t, r.Cluster, "GET", plane+"/snapshot", "")
	if code != 403 || !strings.Contains(text, "ask the room") {
		t.Errorf("a snapshot of a copy: %d %s", code, text)
	}
	before := r.Instance().Registry.Store.Status()
	for _, lines := range []string{
		"{}\n", "x\n", `{"type":"COMMIT"}` + "\n", `{"type":"HELLO"}` + "\n",
		`{"type":"HELLO","cluster":"x","since":5}` + "\n",
	} {
		code, text := call(t, r.copy.Handler(r), "POST", replica.Path+"?begin=1", lines)
		if at := r.Instance().Registry.Store.Status(); at != before {
			t.Errorf("%s: %d %s: %+v", lines, code, text, at)
		}
	}
	o := core.Options{Clock: c.Instance().Host, Rand: apitest.Randomness()}
	o.Extensions = []extension.Extension{room.NewExtension(room.Options{}), replica.New()}
	if _, err := core.New(o); err == nil {
		t.Error("a room was made a copy")
	}
	o.Extensions, o.Storage = []extension.Extension{replica.New()}, new(journal.Memory)
	if _, err := core.New(o); err == nil {
		t.Error("a copy is saved")
	}
}

// TestReplicaOfAnotherCluster resets the room: the copy begins again, and its watches end.
func TestReplicaOfAnotherCluster(t *testing.T) {
	c := roomtest.New(t, core.Options{})
	r := newRelayed(t, c.Cluster, "chalk")
	r.catchUp()
	s := follow(t, r.Cluster, configMaps+"?watch=1")
	c.Expect(201, "chalk", "POST", configMaps, configMap("a", "1"))
	if e := s.Next(); at(e, "object.metadata.name") != "a" {
		t.Error(e)
	}
	if code, body := requestAs(c.Cluster, "Authorization: Bearer chalk", "POST", plane+"/reset", ""); code != 201 {
		t.Fatal(code, body)
	}
	<-r.closed
	r.connect()
	r.catchUp()
	for s.Next() != nil {
	}
	r.compare(configMaps)
}

// TestReplicaOfUndoneCompaction undoes a compaction of the room: the copy, which lacks the history
// that is back, does not continue with what it has.
func TestReplicaOfUndoneCompaction(t *testing.T) {
	c := roomtest.New(t, core.Options{})
	c.Expect(201, "chalk", "POST", configMaps, configMap("a", "1"))
	then := head(c)
	c.Expect(201, "chalk", "POST", configMaps, configMap("b", "1"))
	r := newRelayed(t, c.Cluster, "chalk")
	r.catchUp()
	_, snapshot := requestAs(c.Cluster, "Authorization: Bearer chalk", "GET", plane+"/snapshot", "")
	c.Expect(201, "chalk", "POST", plane+"/compact", "{}")
	r.catchUp()
	if code, body := requestAs(c.Cluster, "Authorization: Bearer chalk", "PUT", plane+"/snapshot", snapshot); code != 201 {
		t.Fatal(code, body)
	}
	<-r.closed
	before, last := r.Instance().Registry.Store.Status(), r.last
	query := fmt.Sprintf("?cluster=%s&rights=%s&since=%d", last.Cluster, last.Rights, last.Revision)
	hello := follow(t, as(c, "chalk"), relays+query)
	hello.Lines.Scan()
	_, err := r.copy.Replay(append(hello.Lines.Bytes(), '\n'), true)
	hello.Stop()
	if at := r.Instance().Registry.Store.Status(); err == nil || at != before {
		t.Errorf("%v, and the copy is at %+v", err, at)
	}
	r.last = replica.Replayed{}
	r.connect()
	r.catchUp()
	r.compare(apitest.Exact(configMaps, then))
}

// TestReplicaHasTheClock moves the clock of a room, makes it faster and pauses it: that of a copy shows the same.
func TestReplicaHasTheClock(t *testing.T) {
	c := roomtest.New(t, core.Options{})
	r := newRelayed(t, c.Cluster, "chalk")
	r.catchUp()
	host := c.Instance().Host.(*clock.Manual)
	for _, step := range []struct{ act, body string }{
		{"/advance", `{"seconds":300}`}, {"", `{"spec":{"clock":{"rate":60}}}`}, {"/advance", `{"seconds":300}`},
		{"", `{"spec":{"clock":{"paused":true}}}`}, {"", `{"spec":{"clock":{"paused":false,"rate":1}}}`},
	} {
		if step.act == "" {
			c.Expect(200, "chalk", "PATCH", plane, step.body)
		} else {
			c.Expect(201, "chalk", "POST", plane+step.act, step.body)
		}
		for range 2 {
			want := c.Instance().Clock.Now()
			for !r.Instance().Clock.Now().Equal(want) {
				runtime.Gosched()
			}
			host.Advance(time.Second)
		}
	}
}
