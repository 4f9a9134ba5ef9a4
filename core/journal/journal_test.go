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
	l, err := Start(storage, func() []byte { return Snapshot([]byte("me"), store) })
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
	l, err := Start(g, func() []byte { return Snapshot(nil, store) })
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
	l, err := Start(g, func() []byte { return Snapshot(nil, store) })
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
	l, err := Start(storage, func() []byte { return Snapshot(nil, store) })
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

func TestDamageIsFound(t *testing.T) {
	log := sample(t)
	ignore := Visitor{
		Header:   func([]byte) error { return nil },
		Record:   func(mvcc.Record) error { return nil },
		Position: func(int64, int64) error { return nil },
	}
	found := 0
	for i := range log {
		damaged := bytes.Clone(log)
		damaged[i] ^= 0x10
		whole, err := Read(damaged, ignore)
		if err == nil && whole == len(log) {
			t.Fatalf("a flipped bit in byte %d went unnoticed", i)
		}
		if errors.Is(err, ErrCorrupt) {
			found++
		}
	}
	if found < len(log)/2 {
		t.Errorf("only %d of %d damages were called damage", found, len(log))
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
