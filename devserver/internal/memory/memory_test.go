package memory

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestGuard has what takes memory refused as memory gets short, and the streams ended once.
func TestGuard(t *testing.T) {
	used, ended := int64(0), 0
	g := &Guard{Used: func() int64 { return used }, Disconnect: func() { ended++ }}
	h := g.Limit(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	requests := []struct {
		method, path string
		body         int
	}{
		{"POST", "/rooms", 0},
		{"GET", "/rooms/a/api/v1/pods?watch=1", 0},
		{"GET", "/rooms/a/apis/sandbox.tabernetes.dev/v1/rooms/default/relay", 0},
		{"PUT", "/rooms/a/api/v1/namespaces/default/configmaps/a", 100 << 10},
		{"GET", "/rooms/a/api/v1/pods", 0},
		{"PUT", "/rooms/a/api/v1/namespaces/default/configmaps/a", 10 << 10},
		{"PATCH", "/rooms/a/apis/sandbox.tabernetes.dev/v1/rooms/default", 100},
		{"DELETE", "/rooms/a/api/v1/namespaces/default/configmaps/a", 100 << 10},
	}
	for _, test := range []struct {
		used    int64
		refused int // so many of the requests
		ended   int
	}{{700, 0, 0}, {800, 4, 0}, {950, 6, 1}, {990, 6, 1}, {800, 4, 1}, {100, 0, 1}, {950, 6, 2}} {
		used = test.used
		g.look(1000)
		for i, r := range requests {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(r.method, r.path, strings.NewReader(strings.Repeat("x", r.body))))
			if want := i < test.refused; want != (w.Code == http.StatusServiceUnavailable) ||
				want && w.Header().Get("Retry-After") == "" {
				t.Errorf("%d used: %s %s: %d %s", used, r.method, r.path, w.Code, w.Body)
			}
		}
		if ended != test.ended {
			t.Errorf("%d used: streams were ended %d times, want %d", used, ended, test.ended)
		}
	}
}

// TestBound compares the bound with the numbers that the README has.
func TestBound(t *testing.T) {
	const mib = 1 << 20
	if got := Bound(2<<30, 0); got != 6144*mib {
		t.Errorf("without rooms: %d MiB", got/mib)
	}
	if got := Bound(64<<20, 50); got != (1024+160+50*192)*mib {
		t.Errorf("with 50 rooms: %d MiB", got/mib)
	}
}
