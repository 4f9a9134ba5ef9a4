package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	roombench "github.com/tabernetes/tabernetes/devserver/room/bench"
)

// TestBenchRooms measures a small room for a moment: each way of following gets all that was written, a WebSocket with
// the token among its protocols.
func TestBenchRooms(t *testing.T) {
	var front http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { front.ServeHTTP(w, r) }))
	defer server.Close()
	o := options{addr: server.Listener.Addr().String(), rooms: true, quota: 1 << 30, apiOnly: true}
	shared, err := o.roomServer()
	if err != nil {
		t.Fatal(err)
	}
	defer closeRooms(shared)
	front = newFront(http.NotFoundHandler(), shared, o)
	measured := roombench.Options{
		URL: server.URL, Process: -1, Followers: 3, Writers: 2, Time: 100 * time.Millisecond, Paces: []int{100, 0},
	}
	for _, measured.WebSocket = range []bool{false, true} {
		var out strings.Builder
		if err := roombench.Run(t.Context(), &out, measured); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if !strings.Contains(out.String(), "  100/s ") || !strings.Contains(out.String(), "  full ") {
			t.Error(out.String())
		}
	}
	measured.URL = "http://" + o.addr + "/nothing"
	if err := roombench.Run(t.Context(), io.Discard, measured); err == nil {
		t.Error("a server without rooms was measured")
	}
}
