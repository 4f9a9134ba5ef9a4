package room_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/devserver/internal/room"
)

// host has the clusters of the rooms, and what is saved of them.
type host struct {
	mu      sync.Mutex
	open    map[string]int  // how often each was opened
	saved   map[string]bool // nil: nothing is saved
	closing chan struct{}   // what Close waits for
	err     error
}

type cluster struct {
	*host
	id string
}

func (c cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "%s %s", r.Method, r.URL.RequestURI())
}

func (c cluster) TeacherToken(context.Context) (string, error) { return "of " + c.id, nil }

func (c cluster) Close() error {
	if c.closing != nil {
		<-c.closing
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.host.open[c.id] = -c.host.open[c.id]
	return nil
}

// newServer has rooms on a clock that the test moves.
func newServer(t *testing.T) (*room.Server, *host, *clock.Manual) {
	h := &host{open: map[string]int{}}
	manual := clock.NewManual(time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC))
	s := &room.Server{
		Open: func(id, token string) (room.Cluster, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.open[id] > 0 {
				t.Errorf("%s is open already", id)
			}
			h.open[id] = 1 - h.open[id]
			if h.saved != nil {
				h.saved[id] = true
			}
			return cluster{h, id}, h.err
		},
		Saved:  func(id string) bool { h.mu.Lock(); defer h.mu.Unlock(); return h.saved[id] },
		Failed: func(err error) { t.Error(err) },
		Random: rand.NewChaCha8([32]byte{1}), Clock: manual, Idle: time.Hour, Most: 2,
	}
	return s, h, manual
}

func ask(s http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

// open opens a room and returns its path and id.
func open(t *testing.T, s http.Handler) (path, id string) {
	t.Helper()
	w := ask(s, "POST", "/rooms")
	var got struct{ ID, Path, Token string }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 201 || len(got.Token) != 22 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return got.Path, got.ID
}

func TestPaths(t *testing.T) {
	s, _, _ := newServer(t)
	path, id := open(t, s)
	if path != "/rooms/"+id+"/" {
		t.Errorf("the path is %s", path)
	}
	for asked, want := range map[string]string{
		path + "api/v1/pods?watch=1":   "GET /api/v1/pods?watch=1",
		path + "apis/":                 "GET /apis/",
		path:                           "GET /",
		"/rooms/" + id:                 "GET /",
		path + "api/v1/nodes/a%2Fb":    "GET /api/v1/nodes/a%2Fb",
		path + "rooms/" + id + "/apis": "GET /rooms/" + id + "/apis",
	} {
		if w := ask(s, "GET", asked); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %s", asked, w.Code, w.Body)
		}
	}
	for asked, want := range map[string]int{
		"GET /rooms": 405, "GET /rooms/": 405, "POST /rooms/": 201,
		"GET /rooms/0123456789/api": 404, "GET /rooms/../api": 404,
		"POST /rooms/" + id[:9] + "x/api": 404, "GET /rooms/%2e%2e/api": 404,
	} {
		var method, at string
		fmt.Sscan(asked, &method, &at)
		if w := ask(s, method, at); w.Code != want {
			t.Errorf("%s: %d %s", asked, w.Code, w.Body)
		}
	}
	w := ask(s, "POST", "/rooms")
	if w.Code != 503 || w.Header().Get("Retry-After") != "60" {
		t.Errorf("a room too many: %d %v", w.Code, w.Header())
	}
}

// TestIdle closes rooms that nobody uses: one that is saved comes back, another does not.
func TestIdle(t *testing.T) {
	for _, saves := range []bool{false, true} {
		s, h, manual := newServer(t)
		if saves {
			h.saved = map[string]bool{}
		}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() { s.Run(ctx); close(ended) }()
		quiet, id := open(t, s)
		busy, other := open(t, s)
		for range 8 {
			manual.AwaitTimers(1)
			manual.Advance(15 * time.Minute)
			ask(s, "GET", busy+"api")
		}
		manual.AwaitTimers(1)
		h.mu.Lock()
		if h.open[id] >= 0 || h.open[other] <= 0 {
			t.Errorf("the quiet room is open: %v, the busy one: %v", h.open[id] > 0, h.open[other] > 0)
		}
		h.mu.Unlock()
		want := 404
		if saves {
			want = 200
		}
		if w := ask(s, "GET", quiet+"api"); w.Code != want {
			t.Errorf("saves %v: %d %s", saves, w.Code, w.Body)
		}
		stop()
		<-ended
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for id, n := range h.open {
			if n > 0 {
				t.Errorf("%s is left open", id)
			}
		}
	}
}

// TestReopen has requests wait for a room that is being closed; it is opened once for all.
func TestReopen(t *testing.T) {
	s, h, _ := newServer(t)
	h.saved, h.closing = map[string]bool{}, make(chan struct{})
	path, _ := open(t, s)
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if w := ask(s, "GET", path+"api"); w.Code != 200 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	close(h.closing)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	wg.Wait()
}

// TestBroken has a room that cannot be opened, which is tried again each time.
func TestBroken(t *testing.T) {
	s, h, _ := newServer(t)
	h.err = errors.New("the disk is full")
	for range 3 {
		if w := ask(s, "POST", "/rooms"); w.Code != 500 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	h.err = nil
	open(t, s)
}

// TestManyRooms has strangers open rooms until they may not.
func TestManyRooms(t *testing.T) {
	s, _, manual := newServer(t)
	s.Most = 5000
	// opens returns how many rooms a client opens until it is refused, and when it may try again.
	opens := func(remote string) (n int, retryAfter string) {
		for ; n < 1000; n++ {
			r := httptest.NewRequest("POST", "/rooms", nil)
			r.RemoteAddr = remote
			w := httptest.NewRecorder()
			if s.ServeHTTP(w, r); w.Code == 429 {
				return n, w.Header().Get("Retry-After")
			} else if w.Code != 201 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
		return n, ""
	}
	for _, c := range []struct {
		passed time.Duration
		remote string
		want   int
		retry  string
	}{
		{0, "192.0.2.1:1", 5, "120"},
		{0, "192.0.2.1:2", 0, "120"},
		{0, "[2001:db8::1]:1", 5, "120"},
		{0, "[2001:db8::2]:1", 0, "120"},
		{0, "[::ffff:192.0.2.1]:1", 0, "120"},
		{0, "192.0.2.2:1", 5, "120"},
		{0, "192.0.2.3:1", 5, "120"},
		{0, "192.0.2.4:1", 0, "60"},
		{time.Minute, "192.0.2.4:1", 1, "60"},
		{time.Minute, "192.0.2.1:1", 1, "120"},
		{-time.Hour, "192.0.2.1:1", 0, "120"},
		{24 * time.Hour, "192.0.2.1:1", 5, "120"},
	} {
		manual.Advance(c.passed)
		if n, retry := opens(c.remote); n != c.want || retry != c.retry {
			t.Errorf("%s after %v: %d rooms, Retry-After %s; want %d, %s", c.remote, c.passed, n, retry, c.want, c.retry)
		}
	}
	s.Trusted = func(r *http.Request) bool { return r.RemoteAddr == "192.0.2.1:9" }
	if n, _ := opens("192.0.2.1:9"); n != 1000 {
		t.Errorf("%d rooms of a client that is trusted", n)
	}
	if n, _ := opens("192.0.2.1:8"); n != 0 {
		t.Errorf("%d rooms of another", n)
	}
}

// TestHostKey asks for a teacher's token of rooms, with the host's key and without.
func TestHostKey(t *testing.T) {
	s, h, _ := newServer(t)
	h.saved, s.HostKey = map[string]bool{}, "key"
	_, id := open(t, s)
	for _, c := range []struct {
		key, id string
		code    int
	}{{"key", id, 201}, {"other", id, 401}, {"key", "0123456789", 404}} {
		r := httptest.NewRequest("POST", "/rooms", strings.NewReader(`{"id":"`+c.id+`"}`))
		r.Header.Set("Authorization", "Bearer "+c.key)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.code {
			t.Errorf("%+v: %d %s", c, w.Code, w.Body)
		}
		if want := `{"id":"` + id + `","path":"/rooms/` + id + `/","token":"of ` + id + `"}` + "\n"; c.code == 201 &&
			w.Body.String() != want {
			t.Errorf("%s, want %s", w.Body, want)
		}
	}
	if len(h.open) != 1 {
		t.Errorf("%d rooms are open", len(h.open))
	}
}
