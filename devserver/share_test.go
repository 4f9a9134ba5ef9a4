package main

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// room is one that a test has opened.
type room struct{ ID, Path, Token string }

// TestRooms opens two rooms on one server, and takes them up again with another.
func TestRooms(t *testing.T) {
	o := options{addr: "127.0.0.1:8080", rooms: true, data: t.TempDir(), quota: 1 << 30, apiOnly: true}
	serve := func() (ask func(code int, token, method, path, body string) string, stop func()) {
		shared, err := o.roomServer()
		if err != nil {
			t.Fatal(err)
		}
		f := newFront(http.NotFoundHandler(), shared, o)
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
			if err := closeRooms(shared); err != nil {
				t.Fatal(err)
			}
		}
	}
	ask, stop := serve()
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

	ask, stop = serve()
	ask(200, a.Token, "GET", a.Path+maps+"/of-a", "")
	ask(401, b.Token, "GET", a.Path+maps+"/of-a", "")
	stop()

	o.rooms = false
	ask, stop = serve()
	ask(404, a.Token, "GET", a.Path+maps+"/of-a", "")
	stop()
}

// TestFollowOverWebSocket follows a room by the address that a page has, with the token as a protocol.
func TestFollowOverWebSocket(t *testing.T) {
	o := options{addr: "127.0.0.1:8080", rooms: true, quota: 1 << 30, apiOnly: true}
	shared, err := o.roomServer()
	if err != nil {
		t.Fatal(err)
	}
	f := newFront(http.NotFoundHandler(), shared, o)
	server := httptest.NewServer(f)
	defer func() {
		server.Close()
		if err := closeRooms(shared); err != nil {
			t.Error(err)
		}
	}()
	w := httptest.NewRecorder()
	f.ServeHTTP(w, httptest.NewRequest("POST", "http://127.0.0.1:8080/rooms", nil))
	var a room
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	const path = "apis/sandbox.tabernetes.dev/v1/rooms/default/follow"
	if res, _, _ := dialSocket(t, server, a.Path+path, ""); res.StatusCode != 401 {
		t.Errorf("without a token: %v", res)
	}
	token := "Sec-WebSocket-Protocol: " + wellknown.BearerProtocol +
		base64.RawURLEncoding.EncodeToString([]byte(a.Token)) + "\r\n"
	res, conn, r := dialSocket(t, server, a.Path+path, token)
	if res.StatusCode != 101 {
		t.Fatalf("%v", res)
	}
	for _, want := range []string{`"HELLO"`, `"SHOW"`, `"here":1`, `"SYNCED"`} {
		if _, frame := readMessage(t, r); !strings.Contains(frame, want) || !strings.HasSuffix(frame, "}\n") {
			t.Errorf("%s, want %s", frame, want)
		}
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
}
