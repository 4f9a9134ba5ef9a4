package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
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
