package apiserver

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestMemory has requests wait for memory in the order in which they came, and small ones not for large ones.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory(1000, 128<<20)
		hold := func(n int64) *held {
			h := &held{memory: m, ctx: t.Context()}
			if err := h.more(n); err != nil {
				t.Error(err)
			}
			return h
		}
		large := hold(1 << 40) // all of the large ones
		var order []int64
		var mu sync.Mutex
		for _, n := range []int64{40 << 20, 50 << 20, 5 << 20} {
			go func() {
				h := hold(n)
				mu.Lock()
				order = append(order, n>>20)
				mu.Unlock()
				h.end()
			}()
			synctest.Wait()
		}
		for _, small := range lanes[:len(lanes)-1] {
			hold(small.most).end() // does not wait
		}
		if len(order) > 0 {
			t.Errorf("%d went on too early", order)
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() { left <- (&held{memory: m, ctx: ctx}).more(60 << 20) }()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who left: %v", err)
		}
		large.less(30 << 20)
		synctest.Wait()
		large.end()
		synctest.Wait()
		if len(order) != 3 || order[0] != 40 {
			t.Errorf("order %d", order)
		}
		for i := range m.lanes {
			if l := &m.lanes[i]; l.taken != 0 || len(l.waiting) != 0 {
				t.Errorf("left in lane %d: %d, %d wait", i, l.taken, len(l.waiting))
			}
		}
	})
}

// TestMemoryShare has servers of one process take a quarter each, and all of them the whole.
func TestMemoryShare(t *testing.T) {
	m := NewMemory(4<<20, 64<<20)
	var all []*held
	for i := range 6 {
		share := m.Share()
		first, second := &held{memory: share}, &held{memory: share}
		if got := first.body(400 << 10); got != (i < 5) {
			t.Errorf("server %d: %v", i, got)
		}
		if second.body(400 << 10) {
			t.Errorf("server %d takes more than a quarter", i)
		}
		all = append(all, first, second)
	}
	for _, h := range all {
		h.end()
	}
	if m.bodies.taken != 0 {
		t.Errorf("%d bytes are left", m.bodies.taken)
	}
}

// TestMemoryRace takes and gives from many goroutines, some of which give up.
func TestMemoryRace(t *testing.T) {
	m := NewMemory(1<<20, 64<<20)
	var at atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		share := m.Share()
		wg.Go(func() {
			for n := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if (n+i)%3 == 0 {
					cancel()
				}
				h := &held{memory: share, ctx: ctx}
				if h.more(10<<20) == nil {
					if at.Add(1) > 4 {
						t.Error("more than there is")
					}
					at.Add(-1)
				}
				h.end()
				cancel()
			}
		})
	}
	wg.Wait()
	if left := m.lanes[len(lanes)-1].taken; left != 0 {
		t.Errorf("%d bytes are left", left)
	}
}

// TestEstimates compares estimates of bodies in their forms.
func TestEstimates(t *testing.T) {
	const n = 1 << 20
	for name, test := range map[string]struct {
		body       string
		from, upto int64
	}{
		"nothing":           {"", 0, 0},
		"white space":       {"  \n", 0, 0},
		"text":              {`{"a":"` + strings.Repeat("a", n) + `"}`, 10 * n, 20 * n},
		"numbers":           {"[" + strings.Repeat("1,", n/2) + "1]", 100 * n, 200 * n},
		"maps":              {"[" + strings.Repeat("{},", n/3) + "{}]", 150 * n, 250 * n},
		"YAML":              {strings.Repeat("- 1\n", n/4), 200 * n, 500 * n},
		"CBOR":              {"\x9f" + strings.Repeat("\x01", n), 50 * n, 200 * n},
		"protobuf":          {"k8s\x00" + strings.Repeat("\x12\x00", n/2), 50 * n, 200 * n},
		"a Pod in protobuf": {"k8s\x00" + strings.Repeat("a", 1<<10), 100 << 10, 200 << 10},
	} {
		if got := workOfBody([]byte(test.body)); got < test.from || got > test.upto {
			t.Errorf("%s: %d times the length", name, got/n)
		}
	}
}

// TestAnswerIsCounted has a request whose answer is being written, and one that waits for more than that leaves.
func TestAnswerIsCounted(t *testing.T) {
	m := NewMemory(1<<20, 400<<20)
	most := m.lanes[len(lanes)-1].most
	writes, waits := held{memory: m, ctx: t.Context()}, held{memory: m, ctx: t.Context()}
	if err := writes.more(most); err != nil {
		t.Fatal(err)
	}
	took := make(chan error, 1)
	go func() { took <- waits.more(most) }()
	large := &m.lanes[len(lanes)-1]
	for large.count() == 0 {
		runtime.Gosched()
	}
	const answer = 1 << 20
	writes.less(answer)
	large.mu.Lock()
	taken := large.taken
	large.mu.Unlock()
	if taken != answer {
		t.Errorf("%d bytes are taken while an answer of %d is written and nobody else fits", taken, answer)
	}
	writes.end()
	if err := <-took; err != nil {
		t.Error(err)
	}
	waits.end()
	if left := m.lanes[len(lanes)-1].taken; left != 0 {
		t.Errorf("%d bytes are left", left)
	}
}

// count returns how many wait.
func (p *pool) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting)
}
