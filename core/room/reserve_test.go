package room_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/journal"
)

// fills has members write until nothing more is accepted, each write of some kilobytes, and returns how many were. None
// may end in another way than by a 403 that says which quota it is.
func (c classroom) fills(tokens []string, kilobytes int) (accepted int) {
	c.Helper()
	value := strings.Repeat("x", kilobytes<<10)
	for n, token := range tokens {
		for i := range 600 {
			name := fmt.Sprint("fill-", kilobytes, "-", n, "-", i)
			code, text := requestAs(c.Cluster, "Authorization: Bearer "+token, "POST", configMaps, configMap(name, value))
			if code == 403 && strings.Contains(text, "exceeded quota of the room: ") && strings.Contains(text, "spec.quotas.") {
				break
			}
			if code != 201 {
				c.Fatalf("%d %.500s", code, text)
			}
			accepted++
		}
	}
	return accepted
}

// TestAFullRoomIsGoverned fills a room on a host with little memory, by many members together, in every way that they
// have: the answer is never a 500, and the teacher can do all that governs the room.
func TestAFullRoomIsGoverned(t *testing.T) {
	c := newClassroom(t, Options{Quota: 4 << 20, Storage: new(journal.Memory)})
	var learners []string
	for n := range 8 {
		_, token := c.join("learner", fmt.Sprint("Learner ", n))
		learners = append(learners, token)
	}
	c.quotas(`{"requestsPerSecond":100000}`)
	store := c.Instance().Registry.Store
	if c.fills(learners, 100) == 0 || c.fills(learners, 20) == 0 || c.fills(learners, 0) == 0 {
		t.Error("nothing was accepted")
	}
	// They change what they have as well, which makes history, and call themselves by long names.
	for i := range 12 {
		for n, token := range learners {
			body := fmt.Sprintf(`{"data":{"v":%q}}`, strings.Repeat(fmt.Sprint(i%10), 100<<10))
			path := fmt.Sprintf("%s/fill-100-%d-0", configMaps, n)
			code, text := requestAs(c.Cluster, "Authorization: Bearer "+token, "PATCH", path, body)
			if code != 200 && code != 404 {
				t.Fatalf("%d %.500s", code, text)
			}
		}
	}
	at1 := store.Status()
	if at1.Size > 4<<20 {
		t.Errorf("%d bytes are kept", at1.Size)
	}
	t.Logf("full: %d objects, %d bytes, %d with history", at1.Current, at1.Bytes-at1.Superseded, at1.Size)

	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"frozen":true}}`)
	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"frozen":false,"maxMembers":200}}`)
	late, lates := c.join("learner", "Late")
	c.expect(201, lates, "POST", members+"/"+late+"/rename", `{"displayName":"`+strings.Repeat("L", 60)+`"}`)
	c.expect(201, lates, "POST", configMaps, configMap("late", "")) // the last part is for who has little
	c.expect(201, "chalk", "POST", members+"/"+late+"/token", "")
	c.expect(200, "chalk", "PATCH", members+"/"+late, `{"spec":{"role":"spectator"}}`)
	c.expect(200, "chalk", "PATCH", members+"/"+late, `{"metadata":{"finalizers":["example.com/x"]}}`)
	c.expect(200, "chalk", "DELETE", members+"/"+late, "")
	c.expect(200, "chalk", "PATCH", members+"/"+late, `{"metadata":{"finalizers":null}}`)
	c.expect(200, "chalk", "PATCH", plane, `{"spec":{"history":{"retentionSeconds":60}}}`)
	c.expect(200, "chalk", "DELETE", configMaps+"/fill-100-0-0", "")
	for _, one := range c.expect(200, "chalk", "GET", members, "")["items"].([]any) {
		if name := at(one, "metadata.name").(string); name != "teacher" {
			c.expect(200, "chalk", "DELETE", members+"/"+name, "")
			c.expect(201, "chalk", "POST", rooms+"/default/purge", `{"member":"`+name+`"}`)
		}
	}
	c.expect(201, "chalk", "POST", configMaps, big("t", 300))
	c.expect(201, "chalk", "POST", plane+"/reset", "")
	c.expect(200, "chalk", "GET", members, "")
}

// TestTheReserveIsBounded has learners join until nothing of the reserve is left for them. The teacher still has some.
func TestTheReserveIsBounded(t *testing.T) {
	c := newClassroom(t, Options{Quota: 1 << 20})
	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"maxMembers":1000,
		"quotas":{"membersPerAddress":1000}}}`)
	link, name := c.invite()
	in, refused := 0, ""
	for n := range 200 {
		code, _, text := c.from(fmt.Sprintf("192.0.2.%d:1", n), link, "POST", rooms+"/default/join",
			fmt.Sprintf(`{"displayName":"Flood %d"}`, n))
		if refused = text; code != 201 {
			break
		}
		in++
	}
	if in < 20 || in == 200 || !strings.Contains(refused, "exceeded quota of the room: its members and tokens take") {
		t.Errorf("%d are in, then %s", in, refused)
	}
	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"frozen":true}}`)
	c.expect(200, "chalk", "DELETE", tokens+"/"+name, "")
	c.invite()
	c.expect(201, "chalk", "POST", members+"/teacher/token", "")
}

// TestOnePersonFills has one person join again and again from one network, fill the share of each member that it is
// then, and leave. What is left of the room is for those who come from elsewhere.
func TestOnePersonFills(t *testing.T) {
	c := newClassroom(t, Options{})
	link, _ := c.invite()
	c.quotas(`{"bytes":4000000,"bytesPerMember":500000,"requestsPerSecond":1000}`)
	join := func(address, displayName string) (name, token string) {
		t.Helper()
		code, _, text := c.from(address, link, "POST", rooms+"/default/join", fmt.Sprintf(`{"displayName":%q}`, displayName))
		if code != 201 {
			t.Fatalf("%d %s", code, text)
		}
		cut := func(before string) string {
			_, after, _ := strings.Cut(text, before)
			value, _, _ := strings.Cut(after, `"`)
			return value
		}
		return cut(`"member":"`), cut(`"token":"`)
	}
	var honest []string
	for n := range 6 {
		_, token := join(fmt.Sprintf("198.51.100.%d:1", n), fmt.Sprint("Honest ", n))
		honest = append(honest, token)
	}
	accepted, refused := 0, ""
	for n := range 12 {
		name, token := join("192.0.2.1:1", fmt.Sprint("Flood ", n))
		for i := range 10 {
			body := configMap(fmt.Sprintf("flood-%d-%d", n, i), strings.Repeat("x", 100_000))
			code, text := requestAs(c.Cluster, "Authorization: Bearer "+token, "POST", configMaps, body)
			if code == 201 {
				accepted++
			} else if refused = text; code != 403 {
				t.Fatalf("%d %s", code, text)
			}
		}
		if n%2 == 0 {
			c.expect(201, token, "POST", members+"/"+name+"/leave", "")
		}
	}
	const why = "the objects of those who joined from your network have"
	if accepted < 15 || accepted > 24 || !strings.Contains(refused, why) {
		t.Errorf("%d objects of 100 kB, then %s", accepted, refused)
	}
	for n, token := range honest {
		c.expect(201, token, "POST", configMaps, configMap(fmt.Sprint("honest-", n), strings.Repeat("x", 60_000)))
	}
}
