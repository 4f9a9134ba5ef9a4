package watchcache

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

// A model is a cache that holds its events and all its snapshots.
type model struct {
	since     int64
	removed   bool
	events    []*mvcc.Event
	capacity  int
	limits    horizon.Limits
	snapshots []int64
}

func (m *model) list(version int64) {
	m.since, m.removed, m.events, m.snapshots = version, false, nil, []int64{version}
}

func (m *model) take(e *mvcc.Event) {
	full := func() bool { return len(m.events) == m.capacity }
	if full() && e.Time.Sub(m.events[0].Time) < horizon.Fresh {
		m.capacity = min(m.capacity*2, m.limits.Most)
	} else if full() && e.Time.Sub(m.events[(m.capacity-m.capacity/4)%m.capacity].Time) > horizon.Fresh {
		if m.capacity = max(m.capacity/2, m.limits.Least); len(m.events) > m.capacity {
			m.events = m.events[len(m.events)-m.capacity:]
		}
	}
	if full() {
		m.events, m.removed = m.events[1:], true
	}
	m.events = append(m.events, e)
	if full() {
		m.clear(m.events[0].Revision)
	}
	m.snapshots = append(m.snapshots, e.Revision)
}

func (m *model) clear(version int64) {
	for len(m.snapshots) > 0 && m.snapshots[0] < version {
		m.snapshots = m.snapshots[1:]
	}
}

func (m *model) oldest() int64 {
	if !m.removed {
		return m.since + 1
	}
	return m.events[0].Revision
}

// TestModel takes random events in groups, and compares a buffer with the model.
func TestModel(t *testing.T) {
	grown, shrunk, busy := 0, 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		l := limits(1+r.IntN(8), 8+r.IntN(30))
		m := &model{capacity: l.Least, limits: l}
		m.list(10)
		b := New(10, horizon.Started, l)
		var all []*mvcc.Event
		now, head := time.Unix(0, 0), int64(10)
		for range 200 {
			switch p := r.IntN(20); {
			case p < 14:
				for range 1 + r.IntN(6) {
					head += 1 + r.Int64N(3)
					if now = now.Add(time.Duration(r.IntN(20)) * time.Second); r.IntN(30) == 0 {
						now = now.Add(200 * time.Second)
					}
					e := &mvcc.Event{Version: &mvcc.Version{Revision: head}, Time: now}
					before := m.capacity
					m.take(e)
					all = append(all, e)
					grown, shrunk = grown+m.capacity/(before+1), shrunk+before/(m.capacity+1)
				}
				b.Take(all)
			case p == 14:
				head += r.Int64N(2)
				m.list(head)
				b.List(head, horizon.Restarted, all)
			case p < 17:
				at := head - r.Int64N(10)
				m.clear(at)
				b.Clear(at)
			default: // what is not needed is dropped
				all = all[after(all, b.Needs()):]
			}
			if b.removed {
				busy++
			}
			if b.Horizon() != m.oldest()-1 || b.Held() != len(m.events) || b.Capacity() != m.capacity {
				t.Fatalf("seed %d: horizon %d, %d events of %d, want %d, %d of %d", seed, b.Horizon(), b.Held(), b.Capacity(),
					m.oldest()-1, len(m.events), m.capacity)
			}
			for at := head - 60; at <= head; at++ {
				want := len(m.snapshots) > 0 && m.snapshots[0] <= at
				if got := b.Snapshot(at, all); got != want {
					t.Fatalf("seed %d: a snapshot for %d: %t, want %t; they are %v", seed, at, got, want, m.snapshots)
				}
			}
		}
	}
	if grown == 0 || shrunk == 0 || busy == 0 {
		t.Errorf("grown %d times, shrunk %d, busy %d", grown, shrunk, busy)
	}
}

// TestCauses checks from where a watch can continue, and why not from before.
func TestCauses(t *testing.T) {
	events := func(n int, apart time.Duration) (all []*mvcc.Event) {
		for i := range n {
			all = append(all, &mvcc.Event{
				Version: &mvcc.Version{Revision: int64(11 + i)}, Time: time.Unix(0, 0).Add(time.Duration(i) * apart),
			})
		}
		return all
	}
	quiet, burst := events(150, time.Minute), events(150, time.Second/10)
	for _, test := range []struct {
		name string
		do   func(*Buffer)
		want string
	}{
		{"nothing has happened", func(*Buffer) {}, "10 started, 0 of 100"},
		{"less than it can hold", func(b *Buffer) { b.Take(quiet[:100]) }, "10 started, 100 of 100"},
		{"more, slowly", func(b *Buffer) { b.Take(quiet[:101]) }, "11 busy, 100 of 100"},
		{"more, at once", func(b *Buffer) { b.Take(burst) }, "10 started, 150 of 200"},
		{"restarted", func(b *Buffer) { b.Take(quiet); b.List(160, horizon.Restarted, quiet) }, "160 restarted, 0 of 100"},
		{"made to forget", func(b *Buffer) { b.Take(burst); b.List(20, horizon.Forgotten, burst) },
			"20 forgotten, 140 of 200"},
		{"made to forget what it has not", func(b *Buffer) { b.Take(quiet); b.List(20, horizon.Forgotten, quiet) },
			"60 busy, 100 of 100"},
		{"listed again where it began", func(b *Buffer) { b.List(10, horizon.Restarted, nil) }, "10 started, 0 of 100"},
		{"behind, and listed again", func(b *Buffer) {
			b.Take(burst[:5])
			b.List(50, horizon.Relisted, burst)
			b.Take(burst[:60])
		}, "50 relisted, 20 of 100"},
		{"limited to less", func(b *Buffer) { b.Take(burst); b.Limit(limits(10, 50), burst) }, "110 busy, 50 of 50"},
		{"limited before it is full", func(b *Buffer) { b.Take(burst[:8]); b.Limit(limits(10, 50), burst[:8]) },
			"10 started, 8 of 10"},
		{"let grow again", func(b *Buffer) {
			b.Limit(limits(10, 10), nil)
			b.Limit(limits(20, 40), nil)
			b.Take(burst)
		},
			"120 busy, 40 of 40"},
	} {
		b := New(10, horizon.Started, horizon.DefaultLimits)
		test.do(&b)
		got := fmt.Sprintf("%d %s, %d of %d", b.Horizon(), b.Cause(), b.Held(), b.Capacity())
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func BenchmarkTake(b *testing.B) {
	all := make([]*mvcc.Event, 0, 1<<16)
	buffer, now := New(1, horizon.Started, horizon.DefaultLimits), time.Unix(0, 0)
	for b.Loop() {
		if len(all) == cap(all) {
			all = all[:copy(all, all[after(all, buffer.Needs()):])]
		}
		now = now.Add(time.Second)
		all = append(all, &mvcc.Event{Version: &mvcc.Version{Revision: buffer.Last() + 1}, Time: now})
		buffer.Take(all)
	}
}

func limits(least, most int) horizon.Limits { return horizon.Limits{Least: least, Most: most} }
