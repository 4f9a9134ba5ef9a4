package bench_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
	"github.com/tabernetes/tabernetes/devserver/internal/front"
	"github.com/tabernetes/tabernetes/devserver/internal/room"
	"github.com/tabernetes/tabernetes/devserver/internal/room/bench"
)

// TestBenchRooms measures a small room for a moment: each way of following gets all that was written, a WebSocket with
// the token among its protocols.
func TestBenchRooms(t *testing.T) {
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	const quota = 1 << 30
	shared, err := room.New(cluster.Options{Quota: quota})
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	addr := server.Listener.Addr().String()
	handler = front.New(http.NotFoundHandler(), front.Options{
		Addr: addr, APIOnly: true, Rooms: shared, Guard: room.Guard(shared, quota),
	})
	measured := bench.Options{
		URL: server.URL, Process: -1, Followers: 3, Writers: 2, Time: 100 * time.Millisecond, Paces: []int{100, 0},
	}
	for _, measured.WebSocket = range []bool{false, true} {
		var out strings.Builder
		if err := bench.Run(t.Context(), &out, measured); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if !strings.Contains(out.String(), "  100/s ") || !strings.Contains(out.String(), "  full ") {
			t.Error(out.String())
		}
	}
	measured.URL = "http://" + addr + "/nothing"
	if err := bench.Run(t.Context(), io.Discard, measured); err == nil {
		t.Error("a server without rooms was measured")
	}
}
