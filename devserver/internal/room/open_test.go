package room

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
	"github.com/tabernetes/tabernetes/devserver/internal/front"
)

// TestRooms opens two rooms on one server, and takes them up again with another.
func TestRooms(t *testing.T) {
	dir := t.TempDir()
	serve := func(rooms bool) (ask func(code int, token, method, path, body string) string, stop func()) {
		shared := newRooms(t, cluster.Options{Data: dir})
		o := front.Options{Addr: "127.0.0.1:8080", APIOnly: true}
		if rooms {
			o.Rooms, o.Guard = shared, Guard(shared, quota)
		}
		f := front.New(http.NotFoundHandler(), o)
		ask = func(code int, token, method, path, body string) string {
			t.Helper()
			r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
			w := httptest.NewRecorder()
			f.ServeHTTP(w, r)
			if w.Code != code {
				t.Fatalf("%s %s: %d, want %d: %s", method, path, w.Code, code, w.Body)
			}
			return w.Body.String()
		}
		return ask, func() {
			if err := shared.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	ask, stop := serve(true)
	var a, b room
	for _, r := range []*room{&a, &b} {
		if err := json.Unmarshal([]byte(ask(201, "", "POST", "/rooms", "")), r); err != nil {
			t.Fatal(err)
		}
	}
	const maps = "api/v1/namespaces/default/configmaps"
	ask(201, a.Token, "POST", a.Path+maps, `{"metadata":{"name":"of-a"}}`)
	ask(404, b.Token, "GET", b.Path+maps+"/of-a", "")
	ask(401, a.Token, "GET", b.Path+maps, "")
	ask(401, "", "GET", a.Path+maps, "")
	ask(404, "", "GET", "/rooms/0123456789/api", "")
	stop()

	ask, stop = serve(true)
	ask(200, a.Token, "GET", a.Path+maps+"/of-a", "")
	ask(401, b.Token, "GET", a.Path+maps+"/of-a", "")
	stop()

	ask, stop = serve(false)
	ask(404, a.Token, "GET", a.Path+maps+"/of-a", "")
	stop()
}

// TestFollowOverWebSocket follows a room by the address that a page has, with the token as a protocol.
func TestFollowOverWebSocket(t *testing.T) {
	f := newFront(t, front.Options{APIOnly: true})
	server := httptest.NewServer(f)
	defer server.Close()
	a := newRoom(t, f)
	const path = "apis/sandbox.tabernetes.dev/v1/rooms/default/follow"
	_, res, err := websocket.Dial(t.Context(), server.URL+a.Path+path, nil)
	if res == nil || res.StatusCode != 401 {
		t.Errorf("without a token: %v, %v", res, err)
	}
	conn, _, err := websocket.Dial(t.Context(), server.URL+a.Path+path, &websocket.DialOptions{
		Subprotocols: []string{wellknown.BearerProtocol + base64.RawURLEncoding.EncodeToString([]byte(a.Token))},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"HELLO"`, `"SHOW"`, `"here":1`, `"SYNCED"`} {
		_, line, err := conn.Read(t.Context())
		if !strings.Contains(string(line), want) || !strings.HasSuffix(string(line), "}\n") || err != nil {
			t.Errorf("%s, want %s: %v", line, want, err)
		}
	}
	if err := conn.CloseNow(); err != nil {
		t.Error(err)
	}
}
