package room_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
)

// from makes a request from an address, and returns the code, Retry-After and the answer.
func (c classroom) from(address, token, method, path, body string) (code int, retryAfter, text string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	if r.RemoteAddr = address; method == "PATCH" {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	return w.Code, w.Header().Get("Retry-After"), w.Body.String()
}

// invite returns the token of an invitation for learners, and the name of its RoomToken.
func (c classroom) invite() (token, name string) {
	c.Helper()
	invited := c.expect(201, "chalk", "POST", rooms+"/default/invite", `{"role":"learner"}`)
	return at(invited, "status.token").(string), at(invited, "metadata.name").(string)
}

// TestOneLinkTakesAllPlaces has one person join as often as it can: it takes half of the places, and what it does with
// the link does not keep others from joining.
func TestOneLinkTakesAllPlaces(t *testing.T) {
	manual := clock.NewManual(start)
	c := newClassroom(t, Options{Clock: manual, Storage: new(journal.Memory)})
	link, name := c.invite()
	join := func(address, displayName string) (int, string, string) {
		return c.from(address, link, "POST", rooms+"/default/join", fmt.Sprintf(`{"displayName":%q}`, displayName))
	}
	in, refused := 0, ""
	for n := range 96 {
		code, _, text := join(fmt.Sprint("[2001:db8::", n+1, "]:1000"), fmt.Sprint("Flood ", n))
		if code == 201 {
			in++
		} else if refused = text; code != 403 {
			t.Fatalf("%d %s", code, text)
		}
	}
	if in != 50 || !strings.Contains(refused, "50 members have joined from your network, which is all that the room "+
		"takes of one (spec.quotas.membersPerAddress)") {
		t.Errorf("%d are in, then %s", in, refused)
	}
	if code, _, text := join("192.0.2.7:1000", "Grace"); code != 201 {
		t.Errorf("from elsewhere: %d %s", code, text)
	}
	// Who leaves and joins again, and again, is slowed down; others are not.
	slowed := 0
	for n := range 60 {
		code, retry, text := join("192.0.2.8:1000", fmt.Sprint("Again ", n))
		if code == 429 {
			if slowed++; retry == "" {
				t.Error("no Retry-After")
			}
			continue
		}
		if code != 201 {
			t.Fatalf("%d %s", code, text)
		}
		for _, one := range c.expect(200, "chalk", "GET", members, "")["items"].([]any) {
			if strings.HasPrefix(at(one, "spec.displayName").(string), "Again") {
				c.expect(200, "chalk", "DELETE", members+"/"+at(one, "metadata.name").(string), "")
			}
		}
		manual.Advance(time.Millisecond)
	}
	if slowed < 5 {
		t.Errorf("%d joins are refused", slowed)
	}
	if code, _, text := join("192.0.2.9:1000", "Late"); code != 429 && code != 201 {
		t.Errorf("%d %s", code, text)
	}
	manual.Advance(time.Minute)
	if code, _, text := join("192.0.2.9:1000", "Later"); code != 201 {
		t.Errorf("a minute later: %d %s", code, text)
	}
	// Another link has its own joins, and the teacher ends the first one.
	c.expect(200, "chalk", "DELETE", tokens+"/"+name, "")
	if link, _ = c.invite(); link == "" {
		t.Error("no link")
	}
	if code, _, text := join("192.0.2.10:1000", "By another link"); code != 201 {
		t.Errorf("%d %s", code, text)
	}
}

// TestNeighbours has members who joined from one network use up what they may take together; others continue. It is so
// after a restart as well.
func TestNeighbours(t *testing.T) {
	saved := new(journal.Memory)
	c := newClassroom(t, Options{Storage: saved})
	link, _ := c.invite()
	join := func(address, displayName string) string {
		t.Helper()
		code, _, text := c.from(address, link, "POST", rooms+"/default/join", fmt.Sprintf(`{"displayName":%q}`, displayName))
		if code != 201 {
			t.Fatalf("%d %s", code, text)
		}
		return text[strings.Index(text, `"token":"`)+9:][:22]
	}
	var flood []string
	for n := range 4 {
		flood = append(flood, join("192.0.2.1:1000", fmt.Sprint("Flood ", n)))
	}
	grace := join("198.51.100.1:1000", "Grace")
	c.quotas(`{"requestsPerAddress":30}`)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = newClassroom(t, Options{Storage: saved})
	all, why := 0, ""
	for _, token := range flood {
		// Where a member is now does not matter: it has joined from there.
		for n := range 100 {
			code, _, text := c.from(fmt.Sprintf("203.0.113.%d:1", n+1), token, "GET", configMaps, "")
			if code == 200 {
				all++
			} else if why = text; code != 429 {
				t.Fatalf("%d %s", code, text)
			}
		}
	}
	if all != 300 || !strings.Contains(why, "those who joined from your network make more than 30 requests per second, "+
		"which is their share of this room (spec.quotas.requestsPerAddress)") {
		t.Errorf("%d requests, then %s", all, why)
	}
	c.expect(200, grace, "GET", configMaps, "")
	c.expect(200, "chalk", "GET", configMaps, "")
}
