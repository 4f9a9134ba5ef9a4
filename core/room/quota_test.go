package room_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clock"
)

// quotas sets spec.quotas of the room.
func (c classroom) quotas(text string) {
	c.Helper()
	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"quotas":`+text+`}}`)
}

// TestFlood has a learner make more requests than its share, which is refused as the real server does,
// and takes nothing from others.
func TestFlood(t *testing.T) {
	c := newClassroom(t, Options{})
	_, ada := c.join("learner", "Ada")
	_, grace := c.join("learner", "Grace")
	for range 200 {
		c.expect(200, ada, "GET", "/api/v1/namespaces/default", "")
	}
	r := httptest.NewRequest("GET", "/api/v1/namespaces/default", nil)
	r.Header.Set("Authorization", "Bearer "+ada)
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	const want = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"you make more than 20 ` +
		`requests per second, which is your share of this room (spec.quotas.requestsPerSecond)",` +
		`"reason":"TooManyRequests","details":{"retryAfterSeconds":1},"code":429}` + "\n"
	if w.Code != 429 || w.Header().Get("Retry-After") != "1" || w.Body.String() != want {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	c.expect(429, ada, "POST", configMaps, configMap("a", ""))
	c.expect(201, grace, "POST", configMaps, configMap("a", ""))
	// The teacher allows more.
	c.quotas(`{"requestsPerSecond":1000}`)
	c.Instance().Host.(*clock.Manual).Advance(time.Second)
	for range 900 {
		c.expect(200, ada, "GET", "/api/v1/namespaces/default", "")
	}
	c.expect(422, "chalk", "PATCH", rooms+"/default", `{"spec":{"quotas":{"requestsPerSecond":0}}}`)
}

// postSlowly creates a ConfigMap from a body that is not there yet, and returns the status.
func (c classroom) postSlowly(token string, body gatedBody) int {
	r := httptest.NewRequest("POST", configMaps, body)
	r.ContentLength = 100
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	return w.Code
}

// TestStrangers checks that wrong tokens are refused before anything else: at full seats, and without
// a look at the body.
func TestStrangers(t *testing.T) {
	c := newClassroom(t, Options{Limits: apiserver.Limits{Writes: 1}})
	_, ada := c.join("learner", "Ada")
	reading, end, ended := make(chan struct{}), make(chan struct{}), make(chan int)
	go func() { ended <- c.postSlowly(ada, gatedBody{reading, end}) }()
	<-reading // it has its seat, the only one
	for range 1000 {
		r := httptest.NewRequest("POST", configMaps, untouched{t})
		r.Header.Set("Authorization", "Bearer wrong")
		w := httptest.NewRecorder()
		if c.ServeHTTP(w, r); w.Code != 401 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	c.expect(429, ada, "POST", configMaps, configMap("b", ""))
	close(end)
	if code := <-ended; code != 400 {
		t.Errorf("a body that is cut off: %d", code)
	}
	c.expect(201, ada, "POST", configMaps, configMap("b", ""))
}

// untouched is a body that nobody may read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

// TestSlowBodies has a learner send bodies that do not arrive: they hold its own share of the seats.
func TestSlowBodies(t *testing.T) {
	c := newClassroom(t, Options{Limits: apiserver.Limits{Reads: 4, Writes: 4}})
	_, ada := c.join("learner", "Ada")
	_, grace := c.join("learner", "Grace")
	reading, end, ended := make(chan struct{}), make(chan struct{}), make(chan int)
	for range 2 {
		go func() { ended <- c.postSlowly(ada, gatedBody{reading, end}) }()
		<-reading
	}
	c.expect(429, ada, "POST", configMaps, configMap("a", ""))
	c.expect(200, ada, "GET", configMaps, "")
	c.expect(201, grace, "POST", configMaps, configMap("a", ""))
	c.expect(200, "chalk", "PATCH", rooms+"/default", `{"spec":{"frozen":true}}`)
	close(end)
	for range 2 {
		<-ended
	}
}

// A gatedBody says when it is read, and ends when it may.
type gatedBody struct{ reading, end chan struct{} }

func (b gatedBody) Read([]byte) (int, error) {
	select {
	case b.reading <- struct{}{}:
	case <-b.end:
	}
	<-b.end
	return 0, io.EOF
}

// TestRoomIsFull fills a room with objects and with bytes. A teacher makes space, or allows more.
func TestRoomIsFull(t *testing.T) {
	c := newClassroom(t, Options{})
	_, ada := c.join("learner", "Ada")
	c.expect(201, ada, "POST", configMaps, configMap("first", ""))
	have := c.Instance().Registry.Store.Status().Current
	c.quotas(fmt.Sprintf(`{"objects":%d}`, have+2))
	c.expect(201, ada, "POST", configMaps, configMap("a", ""))
	c.expect(201, ada, "POST", configMaps, configMap("b", ""))
	full := c.expect(403, ada, "POST", configMaps, configMap("c", ""))
	if want := fmt.Sprintf(`configmaps "c" is forbidden: exceeded quota of the room: the room has %d objects, and `+
		`spec.quotas.objects allows %[1]d: delete objects, or let a teacher allow more in rooms/default`,
		have+2); full["message"] != want {
		t.Errorf("%s, want %s", full["message"], want)
	}
	c.expect(403, "chalk", "POST", configMaps, configMap("c", ""))
	c.expect(200, ada, "PUT", configMaps+"/a", configMap("a", "2"))
	c.expect(201, ada, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews",
		`{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`)
	c.join("learner", "Late") // the server makes members and tokens
	for _, name := range []string{"a", "b", "first"} {
		c.expect(200, ada, "DELETE", configMaps+"/"+name, "")
	}
	c.quotas(`{"objects":null}`)
	c.expect(201, ada, "POST", configMaps, configMap("a", ""))

	state := c.Instance().Registry.Store.Status()
	c.quotas(fmt.Sprintf(`{"bytes":%d}`, state.Bytes-state.Superseded+60_000))
	c.expect(201, ada, "POST", configMaps, configMap("large", strings.Repeat("x", 50_000)))
	full = c.expect(403, ada, "POST", configMaps, configMap("larger", strings.Repeat("x", 50_000)))
	if m := full["message"].(string); !strings.Contains(m, "bytes, this would be 50") ||
		!strings.Contains(m, " more, and spec.quotas.bytes allows ") {
		t.Error(m)
	}
	c.expect(403, ada, "PUT", configMaps+"/a", configMap("a", strings.Repeat("x", 50_000)))
	c.expect(200, ada, "PUT", configMaps+"/large", configMap("large", strings.Repeat("x", 20_000)))
	c.expect(200, ada, "PUT", configMaps+"/a", configMap("a", strings.Repeat("x", 20_000)))
}

// TestWatchesOfARoom opens more watches than a member may, and lets a teacher remove the member, which ends
// them.
func TestWatchesOfARoom(t *testing.T) {
	c := newClassroom(t, Options{})
	ada, adas := c.join("learner", "Ada")
	_, grace := c.join("learner", "Grace")
	c.quotas(`{"watchesPerMember":2,"watches":3,"watchesPerAddress":3}`)
	watch := func(token string) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+token)
			c.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		return server
	}
	open := func(s *httptest.Server, code int) *http.Response {
		t.Helper()
		res, err := http.Get(s.URL + configMaps + "?watch=1")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		if res.StatusCode != code {
			t.Fatalf("%d, want %d", res.StatusCode, code)
		}
		return res
	}
	adasServer, graces, teachers := watch(adas), watch(grace), watch("chalk")
	first := open(adasServer, 200)
	open(adasServer, 200)
	if res := open(adasServer, 429); res.Header.Get("Retry-After") != "5" {
		t.Errorf("%v", res.Header)
	}
	open(graces, 200)
	open(graces, 429)
	open(teachers, 200)
	ends := func(why string, res *http.Response) {
		t.Helper()
		if _, err := io.ReadAll(res.Body); err == nil {
			t.Errorf("%s: the watch ends as if there were no more events", why)
		}
	}
	another := c.expect(201, "chalk", "POST", members+"/"+ada+"/token", "")
	c.quotas(`{"watchesPerMember":3,"watches":4,"watchesPerAddress":4}`)
	byAnother := open(watch(at(another, "status.token").(string)), 200)
	c.expect(200, "chalk", "DELETE", tokens+"/"+at(another, "metadata.name").(string), "")
	ends("the token is gone", byAnother)
	c.expect(200, "chalk", "DELETE", members+"/"+ada, "")
	ends("the member is gone", first)
	c.expect(401, adas, "GET", configMaps, "")
}
