package room

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/lasting"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
	"github.com/tabernetes/tabernetes/devserver/internal/front"
)

// A school is a server with a room, which clients reach over connections.
type school struct {
	*testing.T
	*httptest.Server
	room
	// watches gets a value when a watch has ended that was not refused.
	watches chan struct{}
}

// newSchool opens a room on a server. writing is how long a client may take to receive something; 0: as long as it
// usually may.
func newSchool(t *testing.T, writing time.Duration) school {
	shared := newRooms(t, cluster.Options{})
	watches := make(chan struct{}, 100)
	told := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &statusWriter{w, http.StatusOK}
		defer lasting.End(r.Context(), func() {
			if r.URL.Query().Has("watch") && answer.status < 300 {
				watches <- struct{}{}
			}
		})
		shared.ServeHTTP(answer, r)
	})
	f := front.New(http.NotFoundHandler(), front.Options{
		Addr: "127.0.0.1:0", APIOnly: true, Rooms: told, Guard: Guard(shared, quota), WriteTimeout: writing,
	})
	server := httptest.NewUnstartedServer(nil)
	server.Config = f.Server(context.Background())
	server.Start()
	s := school{T: t, Server: server, watches: watches}
	t.Cleanup(func() {
		s.CloseClientConnections()
		f.Close()
		s.Close()
	})
	body := s.ask(t.Context(), http.DefaultClient, 201, "", "POST", "/rooms", nil)
	if err := json.Unmarshal(body, &s.room); err != nil {
		t.Fatal(err)
	}
	return s
}

// A statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ask makes a request, which has to be answered with a code.
func (s school) ask(ctx context.Context, c *http.Client, code int, token, method, path string, body []byte) []byte {
	s.Helper()
	got, text, err := s.try(ctx, c, token, method, path, body)
	if err != nil || got != code {
		s.Fatalf("%s %s: %d, want %d: %.300s %v", method, path, got, code, text, err)
	}
	return text
}

func (s school) try(ctx context.Context, c *http.Client, token, method, path string, body []byte) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.Server.URL+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := c.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, text, err
}

// join makes a learner and returns its token.
func (s school) join(name string) string {
	s.Helper()
	var invited, joined struct{ Status struct{ Token string } }
	at := s.Path + "apis/sandbox.tabernetes.dev/v1/rooms/default/"
	for _, step := range []struct {
		token, act, body string
		answer           any
	}{
		{s.Token, "invite", `{"role":"learner"}`, &invited},
		{"", "join", `{"displayName":"` + name + `"}`, &joined},
	} {
		token := step.token
		if token == "" {
			token = invited.Status.Token
		}
		text := s.ask(s.Context(), http.DefaultClient, 201, token, "POST", at+step.act, []byte(step.body))
		if err := json.Unmarshal(text, step.answer); err != nil {
			s.Fatal(err)
		}
	}
	return joined.Status.Token
}

// work creates objects and reads them, and returns how long the two take together, as the median.
func (s school) work(token, name string, n int) time.Duration {
	s.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	var times []time.Duration
	for i := range n {
		start := time.Now()
		object := fmt.Sprintf(`{"metadata":{"name":"%s-%d"},"data":{"v":"1"}}`, name, i)
		s.ask(s.Context(), client, 201, token, "POST", s.Path+roomMaps, []byte(object))
		s.ask(s.Context(), client, 200, token, "GET", fmt.Sprintf("%s%s/%s-%d", s.Path, roomMaps, name, i), nil)
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	return times[n/2]
}

// watch asks for a watch over its own connection, with more headers.
func (s school) watch(token, headers string) net.Conn {
	s.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "GET %s?watch=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s\r\n",
		s.Path+roomMaps, token, headers)
	return conn
}

// TestHostileMember has one learner do all it can against a room while another works in it: the other is
// answered every time, and not much later than when it is alone, or than somebody in a room of another server, which
// tells how busy the machine is.
func TestHostileMember(t *testing.T) {
	const (
		requests = 90 // of the one who works: below its share
		// The bound is generous, since attacker, servers and tests share the machine's processors.
		times, more = 20, 50 * time.Millisecond
	)
	s := newSchool(t, 0)
	evil, good, late := s.join("Evil"), s.join("Grace"), s.join("Late")
	alone := s.work(good, "alone", requests)
	calm := newSchool(t, 0)
	elsewhere := calm.join("Elsewhere")

	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var sent, accepted, wrong, bodies, watches atomic.Int64
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	// each does something over and over until the attack ends.
	each := func(n int, f func()) {
		for range n {
			wg.Go(func() {
				for ctx.Err() == nil {
					f()
				}
			})
		}
	}
	begun, start := make(chan struct{}), time.Now()
	each(4, func() { // as fast as it can
		if code, _, err := s.try(ctx, client, evil, "GET", s.Path+roomMaps+"/alone-0", nil); err == nil {
			if sent.Add(1) == 2000 { // it has used up what it had saved
				close(begun)
			}
			if code == 200 {
				accepted.Add(1)
			} else if code != 429 {
				t.Errorf("the flood is answered with %d", code)
			}
		}
	})
	each(1, func() { // tokens that it guesses
		if code, _, err := s.try(ctx, client, "guess", "GET", s.Path+roomMaps, nil); err == nil {
			wrong.Add(1)
			if code != 401 {
				t.Errorf("a guess is answered with %d", code)
			}
		}
	})
	large := []byte(`{"metadata":{"generateName":"large-"},"data":{"v":"` + strings.Repeat("x", 3<<20-100) + `"}}`)
	each(2, func() { // bodies of 3 MiB
		if _, _, err := s.try(ctx, client, evil, "POST", s.Path+roomMaps, large); err == nil {
			bodies.Add(1)
		}
	})
	wg.Go(func() { // watches, which it does not read
		for ctx.Err() == nil {
			r, err := http.NewRequestWithContext(ctx, "GET", s.Server.URL+s.Path+roomMaps+"?watch=1", nil)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Authorization", "Bearer "+evil)
			if res, err := client.Do(r); err == nil && res.StatusCode == 200 {
				watches.Add(1)
			} else if err == nil {
				res.Body.Close()
			}
		}
	})
	for range 100 { // bodies that do not arrive
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 9\r\n\r\n{",
			s.Path+roomMaps, evil)
	}
	<-begun
	var control time.Duration
	compared := make(chan struct{})
	go func() {
		defer close(compared)
		control = calm.work(elsewhere, "calm", requests)
	}()
	attacked := s.work(late, "attacked", requests)
	<-compared
	lists := s.ask(ctx, client, 200, s.Token, "GET", s.Path+"apis/sandbox.tabernetes.dev/v1/members", nil)
	took := time.Since(start)
	stop()
	wg.Wait()
	client.CloseIdleConnections()

	t.Logf("a create and a get: %v alone, %v under attack, %v elsewhere meanwhile; "+
		"in %v the attacker sent %d gets, of which %d were accepted, "+
		"%d wrong tokens, %d bodies of 3 MiB; %d watches were opened", alone, attacked, control, took.Round(time.Millisecond),
		sent.Load(), accepted.Load(), wrong.Load(), bodies.Load(), watches.Load())
	if most := 200 + int64(took/time.Second+1)*20; accepted.Load() > most {
		t.Errorf("%d requests of the attacker were accepted, at most %d should be", accepted.Load(), most)
	}
	if watches.Load() > 30 {
		t.Errorf("%d watches of the attacker", watches.Load())
	}
	if calmly := max(alone, control); attacked > times*calmly+more {
		t.Errorf("the median is %v, at most %d times %v and %v should be", attacked, times, calmly, more)
	}
	if !bytes.Contains(lists, []byte(`"MemberList"`)) {
		t.Errorf("the teacher gets %.200s", lists)
	}
}

// TestSlowReader opens the one watch that a learner may have, and does not read it: it is ended, and
// another may be opened.
func TestSlowReader(t *testing.T) {
	t.Run("HTTP", func(t *testing.T) { testSlowReader(t, "", "200") })
	t.Run("WebSocket", func(t *testing.T) {
		headers := ""
		for i := 0; i < len(socketHeaders); i += 2 {
			headers += socketHeaders[i] + ": " + socketHeaders[i+1] + "\r\n"
		}
		testSlowReader(t, headers, "101")
	})
}

func testSlowReader(t *testing.T, headers, code string) {
	s := newSchool(t, 200*time.Millisecond)
	evil := s.join("Evil")
	s.ask(t.Context(), http.DefaultClient, 200, s.Token, "PUT", s.Path+"apis/sandbox.tabernetes.dev/v1/rooms/default",
		[]byte(`{"metadata":{"name":"default"},"spec":{"quotas":{"watchesPerMember":1}}}`))
	opens := func() {
		t.Helper()
		line := make([]byte, len("HTTP/1.1 200"))
		if _, err := io.ReadFull(s.watch(evil, headers), line); err != nil || string(line) != "HTTP/1.1 "+code {
			t.Fatalf("%s %v", line, err)
		}
	}
	opens()
	s.ask(t.Context(), http.DefaultClient, 429, evil, "GET", s.Path+roomMaps+"?watch=1", nil)
	large := strings.Repeat("x", 1_000_000)
	method, at, created := "POST", s.Path+roomMaps, 201
	for i := 0; i < 40 && len(s.watches) == 0; i++ { // more than the buffers on the way take
		s.ask(t.Context(), http.DefaultClient, created, s.Token, method, at,
			fmt.Appendf(nil, `{"metadata":{"name":"large"},"data":{"v":"%d%s"}}`, i, large))
		method, at, created = "PUT", s.Path+roomMaps+"/large", 200
	}
	select {
	case <-s.watches:
	case <-time.After(3 * time.Minute):
		t.Fatal("the watch does not end")
	}
	opens()
}
