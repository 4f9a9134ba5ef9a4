package room

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
	"github.com/tabernetes/tabernetes/devserver/internal/front"
	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

const roomMaps = "api/v1/namespaces/default/configmaps"

// quota is that of the server's own cluster, in bytes.
const quota = 1 << 30

// room is one that a test has opened.
type room struct{ ID, Path, Token string }

// echo is an API that says what it was asked.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, "api %s %s", r.Method, r.URL.RequestURI())
})

func get(h http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	return apitest.Do(h, method, target, "", headers...)
}

// socketHeaders are those of a request for a WebSocket.
var socketHeaders = []string{
	"Upgrade", "websocket", "Connection", "keep-alive, Upgrade", "Sec-Websocket-Version", "13", "Sec-Websocket-Key",
	"dGhlIHNhbXBsZSBub25jZQ==",
}

// newRooms returns a server of rooms for the time of the test.
func newRooms(t *testing.T, o cluster.Options) *Server {
	t.Helper()
	o.Quota = quota
	shared, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := shared.Close(); err != nil {
			t.Error(err)
		}
	})
	return shared
}

// newFront returns what stands before rooms, and before an own API that answers 201.
func newFront(t *testing.T, o front.Options) *front.Front {
	t.Helper()
	shared := newRooms(t, cluster.Options{})
	o.Rooms, o.Guard = shared, Guard(shared, quota)
	if o.Addr == "" {
		o.Addr = "127.0.0.1:8080"
	}
	f := front.New(echo, o)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.html":   "the page",
		site.IndexFile: `{"version":"v","assets":[{"name":"index.html","hash":"abc","bytes":8}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	index, err := site.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.Show(dir, index)
	return f
}

// newRoom opens a room.
func newRoom(t *testing.T, h http.Handler, headers ...string) (r room) {
	t.Helper()
	w := get(h, "POST", "http://127.0.0.1:8080/rooms", headers...)
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || w.Code != 201 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if got := w.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("the answer with the token has Cache-Control %q", got)
	}
	return r
}
