package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

func newStore() *mvcc.Store {
	return mvcc.New(func() time.Time { return time.Unix(1, 5) })
}

// write writes a key without waiting.
func write(t testing.TB, s *mvcc.Store, key, value string) *mvcc.Event {
	t.Helper()
	var expect int64
	if v := s.Latest("pods", key); v != nil {
		expect = v.Revision
	}
	e, err := s.Put("pods", key, expect, func(int64) ([]byte, any) { return []byte(value), nil })
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// put writes a key and waits.
func put(t testing.TB, s *mvcc.Store, key, value string) {
	t.Helper()
	if err := s.Await(context.Background(), write(t, s, key, value)); err != nil {
		t.Fatal(err)
	}
}

// start starts a log of a store, with a manual clock.
func start(t testing.TB, s *mvcc.Store, storage Storage) (*Log, *clock.Manual) {
	t.Helper()
	c := clock.NewManual(time.Unix(0, 0))
	l, err := Start(Options{Storage: storage, Store: s, Meta: []byte("me"), Cluster: "mine", Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	return l, c
}

// headOf returns the head record beside a log.
func headOf(t testing.TB, s Storage) Head {
	t.Helper()
	p, err := s.Head()
	h, ok := ParseHead(p)
	if err != nil || len(p) > 0 && !ok {
		t.Fatalf("the record of the head is %q, %v", p, err)
	}
	return h
}

func TestLogHoldsWhatWasWaitedFor(t *testing.T) {
	store, storage := newStore(), NewMemory(nil)
	put(t, store, "n/before", "0")
	l, _ := start(t, store, storage)
	put(t, store, "n/a", "1")
	got, _ := read(t, storage.Bytes())
	want := []string{"header me", "2/2 pods/n/before deleted=false 0 @1000000005", "position 2 0",
		"3/3 pods/n/a deleted=false 1 @1000000005"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := store.Put("pods", "n/b", 0, func(int64) ([]byte, any) { return nil, nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed log takes a commit: %v", err)
	}
}

// gate is a Storage whose Append waits for the test.
type gate struct {
	*Memory
	entered, pass chan struct{}
	appends       int
	err           error
}

func newGate(err error) *gate {
	return &gate{Memory: NewMemory(nil), entered: make(chan struct{}, 1), pass: make(chan struct{}), err: err}
}

func (g *gate) Append(p []byte) error {
	g.appends++
	select {
	case g.entered <- struct{}{}:
	default:
	}
	<-g.pass
	if g.err != nil {
		return g.err
	}
	return g.Memory.Append(p)
}

func TestCommitsAreWrittenInGroups(t *testing.T) {
	store, g := newStore(), newGate(nil)
	l, _ := start(t, store, g)
	write(t, store, "n/first", "")
	<-g.entered
	for i := range 100 {
		write(t, store, fmt.Sprint("n/", i), "")
	}
	if at := store.Status(); at.Head != 1 {
		t.Errorf("revision %d is shown before it is durable", at.Head)
	}
	close(g.pass)
	if err := store.Settle(context.Background(), store.Discards()); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if g.appends != 2 {
		t.Errorf("101 commits took %d writes, want 2", g.appends)
	}
}

// TestCommitsAreGathered checks that what is committed while a host lets more requests in is in the same group.
func TestCommitsAreGathered(t *testing.T) {
	store, g, turns, brings := newStore(), newGate(nil), 0, true
	close(g.pass)
	l, err := Start(Options{
		Storage: g, Store: store, Meta: []byte("me"), Cluster: "mine", Clock: clock.NewManual(time.Unix(0, 0)),
		Gather: func() {
			if turns++; !brings {
				return
			}
			for _, key := range []string{"n/b", "n/c"} {
				write(t, store, key, fmt.Sprint(turns))
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		put(t, store, "n/a", fmt.Sprint(i))
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := i + 1; g.appends != want || turns != want || store.Status().Head != int64(1+3*want) {
			t.Errorf("%d groups and %d turns up to %d after %d writes", g.appends, turns, store.Status().Head, want)
		}
	}
	// While nothing comes, most groups are written at once; when it does, all wait for it again.
	for _, c := range []struct {
		brings     bool
		least, max int
	}{{false, 1, 12}, {true, 85, 100}} {
		brings, turns = c.brings, 0
		for i := range 100 {
			put(t, store, "n/a", fmt.Sprint(i))
			if err := l.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if turns < c.least || turns > c.max {
			t.Errorf("%d turns for 100 groups, brings more: %v", turns, c.brings)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// TestAFailedGroupLeavesNoTrace lets a group fail while another waits behind it.
func TestAFailedGroupLeavesNoTrace(t *testing.T) {
	full := errors.New("quota exceeded")
	store, g := newStore(), newGate(full)
	l, _ := start(t, store, g)
	first := write(t, store, "n/a", "1")
	<-g.entered
	second := write(t, store, "n/b", "1")
	close(g.pass)
	for _, e := range []*mvcc.Event{first, second} {
		if err := store.Await(context.Background(), e); !errors.Is(err, full) {
			t.Errorf("a write that is lost ends with %v", err)
		}
	}
	if at := store.Status(); at.Head != 1 || at.Events != 0 || store.Latest("pods", "n/a") != nil {
		t.Errorf("what was lost has left %+v", at)
	}
	if err := l.Close(); !errors.Is(err, full) {
		t.Errorf("Close: %v", err)
	}
	if lines, _ := read(t, g.Bytes()); len(lines) != 2 {
		t.Errorf("saved is %q", lines)
	}
}

func TestRewriteKeepsTheLogSmall(t *testing.T) {
	store, storage := newStore(), NewMemory(nil)
	l, _ := start(t, store, storage)
	big := string(bytes.Repeat([]byte("x"), 64<<10))
	for range 100 { // 6.4 MB in all, one key
		put(t, store, "n/a", big)
		if err := store.Compact(store.Status().Head); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if saved := storage.Bytes(); len(saved) > 2*minRewrite {
		t.Errorf("the log has %d bytes", len(saved))
	}
}

// flaky is a Storage that fails when a test says so.
type flaky struct {
	*Memory
	mu                    sync.Mutex
	append, replace, head error
}

func (f *flaky) set(append, replace, head error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.append, f.replace, f.head = append, replace, head
}

func (f *flaky) Append(p []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.append != nil {
		return f.append
	}
	return f.Memory.Append(p)
}

func (f *flaky) Replace(write func(io.Writer) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.replace != nil {
		return f.replace
	}
	return f.Memory.Replace(write)
}

func (f *flaky) SaveHead(p []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.head != nil {
		return f.head
	}
	return f.Memory.SaveHead(p)
}

func TestRecoveryAfterAFailure(t *testing.T) {
	store, full := newStore(), errors.New("quota exceeded")
	storage := &flaky{Memory: NewMemory(nil)}
	l, c := start(t, store, storage)
	storage.set(full, full, nil)
	if err := store.Await(context.Background(), write(t, store, "n/a", "1")); !errors.Is(err, full) {
		t.Fatalf("Await: %v", err)
	}
	if err := l.Ready(); !errors.Is(err, full) {
		t.Errorf("Ready while it fails: %v", err)
	}
	storage.set(nil, nil, nil)
	if err := l.Ready(); err != nil {
		t.Errorf("Ready once it works again: %v", err)
	}
	put(t, store, "n/b", "1")

	storage.set(full, nil, nil)
	if err := store.Await(context.Background(), write(t, store, "n/c", "1")); !errors.Is(err, full) {
		t.Fatalf("Await: %v", err)
	}
	c.Advance(firstRetry) // it recovers without a call
	if err := l.Flush(context.Background()); err != nil {
		t.Errorf("after the first retry: %v", err)
	}
	storage.set(nil, nil, nil)
	put(t, store, "n/d", "1")
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if lines, _ := read(t, storage.Bytes()); len(lines) != 4 { // header, n/b, position, n/d
		t.Errorf("saved: %q", lines)
	}
}

// TestHeadFollows checks that the head record is never ahead of the log, and behind it by no more
// than the interval.
func TestHeadFollows(t *testing.T) {
	store, storage := newStore(), &flaky{Memory: NewMemory(nil)}
	l, c := start(t, store, storage)
	if h := headOf(t, storage); h != (Head{1, "mine"}) {
		t.Errorf("at the start it is %+v", h)
	}
	put(t, store, "n/a", "1")
	put(t, store, "n/b", "1")
	if h := headOf(t, storage); h.Revision > 3 {
		t.Errorf("it is ahead: %+v", h)
	}
	settle := func() {
		t.Helper()
		if err := l.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	c.Advance(HeadInterval)
	settle()
	if h := headOf(t, storage); h != (Head{3, "mine"}) {
		t.Errorf("after the interval it is %+v", h)
	}
	storage.set(nil, nil, errors.New("no room for it"))
	put(t, store, "n/c", "1")
	settle()
	c.Advance(HeadInterval)
	settle()
	if err := l.HeadErr(); err == nil || l.Err() != nil {
		t.Errorf("the record's error is %v, the log's %v", err, l.Err())
	}
	storage.set(nil, nil, nil)
	c.Advance(HeadInterval)
	settle()
	if h := headOf(t, storage); h.Revision != 4 || l.HeadErr() != nil {
		t.Errorf("when it works again it is %+v, %v", h, l.HeadErr())
	}
	put(t, store, "n/d", "1")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if h := headOf(t, storage); h.Revision != 5 {
		t.Errorf("at the end it is %+v", h)
	}
}

func TestHandover(t *testing.T) {
	store, full := newStore(), errors.New("quota exceeded")
	storage := NewMemory(nil)
	l, _ := start(t, store, storage)
	if err := l.Handover(func() error { return full }); !errors.Is(err, full) {
		t.Errorf("a failed handover: %v", err)
	}
	put(t, store, "n/a", "1")
	theirs := func() error {
		return storage.Replace(func(w io.Writer) error { _, err := io.WriteString(w, "theirs"); return err })
	}
	if err := l.Handover(theirs); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Put("pods", "n/b", 0, func(int64) ([]byte, any) { return nil, nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("a commit after the handover: %v", err)
	}
	if saved := storage.Bytes(); string(saved) != "theirs" {
		t.Errorf("the old log wrote %q", saved)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
