package live

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

// TestRestore gives another hub what followers of one received.
func TestRestore(t *testing.T) {
	h, _ := newHub(teacher, ada)
	h.Show(teacher.Name, []byte(`{"panel":"stage"}`))
	h.Report(ada.Name, &Progress{Lesson: "watch", Step: 3})
	told := read(t, follow(t, h, teacher))
	if got := Epoch([]byte(told)); got != "e1" {
		t.Errorf("the epoch is %q", got)
	}
	manual := clock.NewManual(time.Unix(0, 0))
	next := New(manual, "e1")
	next.Set(teacher)
	next.Set(ada)
	next.Restore([]byte("no frame\n" + told + `{"type":"SHOW","show":{"by":"ada","view":{}}}` + "\n" +
		`{"type":"PROGRESS","member":"gone","progress":{"lesson":"watch"}}`))
	got := read(t, follow(t, next, teacher))
	for _, line := range strings.Split(told, "\n") {
		if !strings.Contains(got, line) {
			t.Errorf("%s is not in\n%s", line, got)
		}
	}
	if n := strings.Count(got, "\n"); n != strings.Count(told, "\n") {
		t.Errorf("there is more:\n%s", got)
	}
	// Those who follow it again learn of each other at once.
	one, err := next.Follow(ada.Name, "t", Options{Silent: true, Resumed: true})
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan []byte)
	go func() {
		b, _ := one.Next(context.Background(), nil, nil)
		begun <- b
	}()
	manual.AwaitTimers(2) // the teacher's beat and its pause
	follow(t, next, ada)
	manual.Advance(Pause)
	if b := string(<-begun); strings.Count(b, memberLine(ada, 2)) != 1 || strings.Contains(b, memberLine(ada, 1)) {
		t.Error(b)
	}
	if Epoch(nil) != "" || Epoch([]byte("{}")) != "" {
		t.Error("there is an epoch in nothing")
	}
}
