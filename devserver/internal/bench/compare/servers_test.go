package compare

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestServers measures two servers a little, and finds each kind of work in the table, done by both.
func TestServers(t *testing.T) {
	a, err := newFixture()
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	b, err := newFixture()
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	var out bytes.Buffer
	little := effort{stored: 200, rounds: 1, turn: time.Nanosecond}
	if err := little.measure(t.Context(), &out, []Server{
		{Name: "one", URL: a.serve(a.cluster)}, {Name: "two", URL: b.serve(b.cluster)},
	}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != len(tasks) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(tasks), &out)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, tasks[i].name) || !strings.Contains(line, "  one ") ||
			!strings.Contains(line, "  two ") || !strings.HasSuffix(line, " times)") {
			t.Errorf("%q", line)
		}
	}
	if err := little.measure(t.Context(), &out, []Server{{Name: "none", URL: a.serve(nil) + "/nothing"}}); err == nil ||
		!strings.HasPrefix(err.Error(), "none: ") {
		t.Errorf("a server without Pods: %v", err)
	}
}
