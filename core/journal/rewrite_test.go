package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// successive is a Memory that writes its next log when a test lets it.
type successive struct {
	*Memory
	begun, pass chan struct{}
	taken       chan error // what Take has returned
	err         error      // of Take
}

func (s *successive) Succeed() (Successor, error) {
	s.begun <- struct{}{}
	<-s.pass
	return &nextMemory{of: s}, nil
}

type nextMemory struct {
	of *successive
	bytes.Buffer
}

func (*nextMemory) Sync() error { return nil }

func (n *nextMemory) Take() error {
	n.of.mu.Lock()
	defer n.of.mu.Unlock()
	if n.of.err == nil {
		n.of.bytes = bytes.Clone(n.Bytes())
	}
	n.of.taken <- n.of.err
	return n.of.err
}

func (n *nextMemory) Abandon() { n.of.taken <- errAbandoned }

// TestRewriteWaitsForNobody: commits are durable while the next log is written, and are in it once it takes the place
// of the present one; so they are if it cannot, or is not wanted any more.
func TestRewriteWaitsForNobody(t *testing.T) {
	for _, c := range []struct {
		name      string
		err       error
		compacted bool
		closes    bool
		want      error
	}{
		{name: "taken"},
		{name: "compacted meanwhile", compacted: true},
		{name: "fails", err: errors.New("full"), want: errors.New("full")},
		{name: "closed meanwhile", closes: true, want: errAbandoned},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &successive{Memory: NewMemory(nil), begun: make(chan struct{}, 9), pass: make(chan struct{}),
				taken: make(chan error, 9), err: c.err}
			store := newStore()
			l, _ := start(t, store, s)
			big := strings.Repeat("x", 100<<10)
			for i := range 12 {
				put(t, store, fmt.Sprint("n/", i), big)
			}
			<-s.begun
			for i := range 30 { // which would wait for the rewriting forever
				put(t, store, fmt.Sprint("n/", i), fmt.Sprint("meanwhile ", i))
			}
			if c.compacted {
				head, _ := store.Bounds()
				if err := store.Compact(12); err != nil {
					t.Fatal(err)
				}
				l.AppendPosition(head, 12)
				if err := l.Flush(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			if c.closes {
				go close(s.pass)
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
			} else {
				close(s.pass)
			}
			if err := <-s.taken; fmt.Sprint(err) != fmt.Sprint(c.want) && !(c.closes && err == nil) {
				t.Errorf("the next log: %v, want %v", err, c.want)
			}
			if !c.closes {
				put(t, store, "n/last", "last")
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
			}
			text := s.Bytes()
			if c.want == nil && len(text) > 20*len(big) {
				t.Errorf("the log still has %d bytes", len(text))
			}
			lines, found := read(t, text)
			head, _ := store.Bounds()
			if found.Problem != nil || !found.Complete || found.Revision != head {
				t.Fatalf("%+v, want all up to %d", found, head)
			}
			last := map[string]string{}
			for _, line := range lines {
				if f := strings.Fields(line); len(f) > 3 && strings.HasPrefix(f[1], "pods/") {
					last[f[1]] = strings.Join(f[3:], " ")
				}
			}
			for i := range 30 {
				if is := last[fmt.Sprint("pods/n/", i)]; !strings.HasPrefix(is, fmt.Sprint("meanwhile ", i, " ")) {
					t.Errorf("n/%d is %.40q", i, is)
				}
			}
		})
	}
}
