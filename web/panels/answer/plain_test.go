package answer

import (
	"testing"

	"github.com/tabernetes/tabernetes/web/tap"
)

// An answer that no verdict is on is said, too: its status, and what it is.
func TestPlainly(t *testing.T) {
	for _, test := range []struct{ path, body, want string }{
		{"/healthz", "ok", "GET /healthz: 200 OK, ok."},
		{"/version", `{"major":"1","gitVersion":"v1.36.3"}`, "GET /version: 200 OK, v1.36.3."},
		{"/apis/apps/v1", `{"kind":"APIResourceList"}`, "GET /apis/apps/v1: 200 OK, APIResourceList."},
		{"/metrics", "# HELP a b\n# TYPE a counter\na 1\nb 2\nc 3\nd 4\n", "GET /metrics: 200 OK."},
	} {
		l := &tap.Log{}
		l.Add(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: test.path})
		l.Add(tap.Event{Type: tap.Head, ID: 1, Status: 200})
		l.Add(tap.Event{Type: tap.Chunk, ID: 1, Text: test.body})
		l.Add(tap.Event{Type: tap.End, ID: 1})
		if got := plainly(l.Get(1)); got != test.want {
			t.Errorf("%s: %q, want %q", test.path, got, test.want)
		}
	}
}
