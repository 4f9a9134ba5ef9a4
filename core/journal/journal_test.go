package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

func newStore() *mvcc.Store {
	return mvcc.New(func() time.Time { return time.Unix(1, 5) })
}

func put(t testing.TB, s *mvcc.Store, key, value string) {
	t.Helper()
	var expect int64
	if v, _, _ := s.Get("pods", key, 0); v != nil {
		expect = v.Revision
	}
	if _, err := s.Put("pods", key, expect, func(int64) ([]byte, any) { return []byte(value), nil }); err != nil {
		t.Fatal(err)
	}
}

// read lists what a log holds, a line each.
func read(t testing.TB, log []byte) (lines []string, whole int) {
	t.Helper()
	whole, err := Read(log, Visitor{
		Header: func(meta []byte) error { lines = append(lines, "header "+string(meta)); return nil },
		Record: func(r mvcc.Record) error {
			lines = append(lines, fmt.Sprintf("%d/%d %s/%s deleted=%v %s @%d", r.Revision, r.Created, r.Bucket, r.Key, r.Deleted, r.Value, r.Time.UnixNano()))
			return nil
		},
		Position: func(head, compacted int64) error {
			lines = append(lines, fmt.Sprintf("position %d %d", head, compacted))
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, whole
}

func TestLogHoldsWhatWasWaitedFor(t *testing.T) {
	store, storage := newStore(), NewMemory(nil)
	put(t, store, "n/before", "0")
	l, err := Start(storage, 0, func() []byte { return Snapshot([]byte("me"), store) })
	if err != nil {
		t.Fatal(err)
	}
	store.OnCommit(l.Add)
	put(t, store, "n/a", "1")
	if err := l.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	saved, _ := storage.Read()
	got, _ := read(t, saved)
	want := []string{"header me", "2/2 pods/n/before deleted=false 0 @1000000005", "position 2 0", "3/3 pods/n/a deleted=false 1 @1000000005"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := l.Wait(context.Background()); err == nil {
		t.Error("a closed log says that it is durable")
	}
}

// gate is a Storage whose first Append waits until it is let through.
type gate struct {
	*Memory
	entered, pass chan struct{}
	appends       int
	err           error
}

func (g *gate) Append(p []byte) error {
	if g.appends++; g.appends == 1 {
		close(g.entered)
		<-g.pass
	}
	if g.err != nil {
		return g.err
	}
	return g.Memory.Append(p)
}

func TestCommitsAreWrittenInGroups(t *testing.T) {
	store := newStore()
	g := &gate{Memory: NewMemory(nil), entered: make(chan struct{}), pass: make(chan struct{})}
	l, err := Start(g, 0, func() []byte { return Snapshot(nil, store) })
	if err != nil {
		t.Fatal(err)
	}
	store.OnCommit(l.Add)
	put(t, store, "n/first", "")
	<-g.entered
	for i := range 100 {
		put(t, store, fmt.Sprint("n/", i), "")
	}
	close(g.pass)
	if err := l.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if g.appends != 2 {
		t.Errorf("101 commits took %d writes, want 2", g.appends)
	}
}

func TestFailedStorageIsReported(t *testing.T) {
	store, full := newStore(), errors.New("quota exceeded")
	g := &gate{Memory: NewMemory(nil), entered: make(chan struct{}), pass: make(chan struct{}), err: full}
	l, err := Start(g, 0, func() []byte { return Snapshot(nil, store) })
	if err != nil {
		t.Fatal(err)
	}
	store.OnCommit(l.Add)
	put(t, store, "n/a", "")
	close(g.pass)
	if err := l.Wait(context.Background()); !errors.Is(err, full) {
		t.Errorf("Wait: %v", err)
	}
	if err := l.Close(); !errors.Is(err, full) {
		t.Errorf("Close: %v", err)
	}
}

func TestRewriteKeepsTheLogSmall(t *testing.T) {
	store, storage := newStore(), NewMemory(nil)
	l, err := Start(storage, 0, func() []byte { return Snapshot(nil, store) })
	if err != nil {
		t.Fatal(err)
	}
	store.OnCommit(l.Add)
	big := string(bytes.Repeat([]byte("x"), 64<<10))
	for range 100 { // 6.4 MB in all, one key
		put(t, store, "n/a", big)
		if err := store.Compact(store.Status().Head); err != nil {
			t.Fatal(err)
		}
		if err := l.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if saved, _ := storage.Read(); len(saved) > 2*minRewrite {
		t.Errorf("the log has %d bytes", len(saved))
	}
}

func sample(t testing.TB) []byte {
	store := newStore()
	put(t, store, "n/a", "1")
	put(t, store, "n/a", "2")
	return Snapshot([]byte("{}"), store)
}

func TestCutOffTailIsDropped(t *testing.T) {
	log := sample(t)
	all, whole := read(t, log)
	if whole != len(log) {
		t.Fatalf("%d of %d bytes are whole", whole, len(log))
	}
	for cut := 1; cut < len(log); cut++ {
		got, whole := read(t, log[:cut])
		if whole > cut || fmt.Sprint(got) != fmt.Sprint(all[:len(got)]) {
			t.Fatalf("cut at %d: %q", cut, got)
		}
	}
}

// TestDamageIsFound flips every bit of a log: whatever is read of it, nothing is
// taken for something else, and nothing behind the damage is dropped in silence.
func TestDamageIsFound(t *testing.T) {
	log := sample(t)
	ignore := Visitor{
		Header:   func([]byte) error { return nil },
		Record:   func(mvcc.Record) error { return nil },
		Position: func(int64, int64) error { return nil },
	}
	for i := range log {
		for bit := range 8 {
			damaged := bytes.Clone(log)
			damaged[i] ^= 1 << bit
			if whole, err := Read(damaged, ignore); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("bit %d of byte %d flipped: %d of %d bytes, %v", bit, i, whole, len(log), err)
			}
		}
	}
}

func TestZerosAtTheEndAreDropped(t *testing.T) {
	log := sample(t)
	all, _ := read(t, log)
	got, whole := read(t, append(bytes.Clone(log), make([]byte, 100)...))
	if whole != len(log) || fmt.Sprint(got) != fmt.Sprint(all) {
		t.Errorf("%d of %d bytes: %q", whole, len(log), got)
	}
}

// flaky is a Storage that fails when it is told to.
type flaky struct {
	*Memory
	append, replace error
}

func (f *flaky) Append(p []byte) error {
	if f.append != nil {
		return f.append
	}
	return f.Memory.Append(p)
}

func (f *flaky) Replace(p []byte) error {
	if f.replace != nil {
		return f.replace
	}
	return f.Memory.Replace(p)
}

func TestRecoveryAfterAFailure(t *testing.T) {
	store, full := newStore(), errors.New("quota exceeded")
	storage := &flaky{Memory: NewMemory(nil)}
	l, err := Start(storage, 0, func() []byte { return Snapshot(nil, store) })
	if err != nil {
		t.Fatal(err)
	}
	store.OnCommit(l.Add)
	storage.append, storage.replace = full, full
	put(t, store, "n/a", "1")
	if err := l.Wait(context.Background()); !errors.Is(err, full) {
		t.Fatalf("Wait: %v", err)
	}
	if err := l.Ready(); !errors.Is(err, full) {
		t.Errorf("Ready while it fails: %v", err)
	}
	storage.append, storage.replace = nil, nil
	if err := l.Ready(); err != nil {
		t.Errorf("Ready once it works again: %v", err)
	}
	put(t, store, "n/b", "1")
	if err := l.Wait(context.Background()); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	saved, _ := storage.Read()
	if lines, _ := read(t, saved); len(lines) != 4 { // header, n/a, position, n/b
		t.Errorf("saved: %q", lines)
	}
}

func TestHandover(t *testing.T) {
	store, full := newStore(), errors.New("quota exceeded")
	storage := NewMemory(nil)
	l, err := Start(storage, 0, func() []byte { return Snapshot(nil, store) })
	if err != nil {
		t.Fatal(err)
	}
	store.OnCommit(l.Add)
	if err := l.Handover(func() error { return full }); !errors.Is(err, full) {
		t.Errorf("a failed handover: %v", err)
	}
	put(t, store, "n/a", "1")
	if err := l.Wait(context.Background()); err != nil {
		t.Errorf("after it: %v", err)
	}
	if err := l.Handover(func() error { return storage.Replace([]byte("theirs")) }); err != nil {
		t.Fatal(err)
	}
	put(t, store, "n/b", "1")
	if err := l.Wait(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("a commit after the handover: %v", err)
	}
	if saved, _ := storage.Read(); string(saved) != "theirs" {
		t.Errorf("the old log wrote %q", saved)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample(f))
	f.Add([]byte("not a log"))
	f.Fuzz(func(t *testing.T, log []byte) {
		whole, err := Read(log, Visitor{
			Header:   func([]byte) error { return nil },
			Record:   func(mvcc.Record) error { return nil },
			Position: func(int64, int64) error { return nil },
		})
		if whole > len(log) {
			t.Errorf("%d bytes of %d are whole (%v)", whole, len(log), err)
		}
	})
}
