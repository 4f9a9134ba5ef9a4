package live

import (
	"container/list"
	"context"
	"errors"
	"io"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

const (
	// Beat is the time between two BEAT frames.
	Beat = 15 * time.Second
	// Pause is the least time between two readings: what changes meanwhile is sent together.
	Pause = 100 * time.Millisecond
	// MaxStreams is how many followers a member may have.
	MaxStreams = 50
	// batch is about how much is read at once, in bytes.
	batch = 32 << 10
)

// A Follower reads the state of a hub, for one goroutine. Close ends it.
type Follower struct {
	hub    *Hub
	member *member
	token  string
	// wake has a signal when there may be something to read; ended is closed when there will be nothing
	// any more.
	wake  chan struct{}
	ended chan struct{}

	// Under the hub's lock: start is the newest change when the follower began, read the last one it has
	// read, gone whether it has ended, and last the frame that is to be read before its end; nil: none.
	start, read uint64
	gone        bool
	last        []byte

	// The reader's own.
	greeted, synced bool
	later           []byte      // frames for after the first state
	beat            clock.Timer // nil: there are no beats
	latest          time.Time   // the time of the last reading
}

// The reasons why there is no follower.
var (
	ErrNoMember = errors.New("live: there is no such member")
	ErrTooMany  = errors.New("live: the member has as many followers as it may")
)

// Options are how a follower gets what there is. The zero Options are the usual ones.
type Options struct {
	// Silent: there are no BEAT frames.
	Silent bool
	// Resumed: it follows again, as others do at the same moment, so it learns a Pause later who is here.
	Resumed bool
}

// Follow returns a follower for a member, who is authenticated by a token, which Revoke names.
func (h *Hub) Follow(name, token string, o Options) (*Follower, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.members[name]
	switch {
	case m == nil:
		return nil, ErrNoMember
	case m.here >= MaxStreams:
		return nil, ErrTooMany
	}
	f := &Follower{hub: h, member: m, token: token, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	if !o.Silent {
		f.beat = h.clock.NewTimer(Beat)
	}
	if o.Resumed {
		f.latest = h.clock.Now()
	}
	h.followers[f] = struct{}{}
	m.here++
	h.tell(&m.changed, m.frame(), "")
	f.start = h.last
	return f, nil
}

// Close ends a follower.
func (f *Follower) Close() {
	if f.beat != nil {
		f.beat.Stop()
	}
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	f.leave()
}

// leave ends a follower, unless it has ended. Callers hold the lock.
func (f *Follower) leave() {
	if f.gone {
		return
	}
	f.gone = true
	close(f.ended)
	h := f.hub
	delete(h.followers, f)
	f.member.here--
	if h.members[f.member.Name] == f.member {
		h.tell(&f.member.changed, f.member.frame(), "")
	}
}

func (f *Follower) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// sees reports whether a change is for the follower.
func (f *Follower) sees(i *item) bool {
	return i.member == "" || f.member.Teacher || i.member == f.member.Name
}

// Next appends the next frames, and waits until there are some. It returns io.EOF when the follower has
// ended or closing is closed, and the cause when ctx ends.
func (f *Follower) Next(ctx context.Context, closing <-chan struct{}, b []byte) ([]byte, error) {
	if err := f.pause(ctx, closing); err != nil {
		return b, err
	}
	var beats <-chan time.Time
	if f.beat != nil {
		beats = f.beat.C()
	}
	for {
		n := len(b)
		b, err := f.take(b)
		if len(b) > n || err != nil {
			f.latest = f.hub.clock.Now()
			return b, err
		}
		select {
		case <-f.wake:
		case <-beats:
			f.beat.Reset(Beat)
			return append(b, beat...), nil
		case <-f.ended:
		case <-closing:
			return b, io.EOF
		case <-ctx.Done():
			if err := f.over(ctx); err != nil {
				return b, err
			}
		}
	}
}

// over returns the cause of a context that has ended; nil if there is a frame to be read before the end: what removes
// the member ends its requests too.
func (f *Follower) over(ctx context.Context) error {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	if f.last != nil {
		return nil
	}
	return context.Cause(ctx)
}

// pause waits until the next reading may be made.
func (f *Follower) pause(ctx context.Context, closing <-chan struct{}) error {
	left := f.latest.Add(Pause).Sub(f.hub.clock.Now())
	if left <= 0 || f.greeted && !f.synced {
		return nil
	}
	timer := f.hub.clock.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C():
	case <-f.ended:
	case <-closing:
		return io.EOF
	case <-ctx.Done():
		return f.over(ctx)
	}
	return nil
}

// take appends what has changed since the last reading, or a part of it.
func (f *Follower) take(b []byte) ([]byte, error) {
	h := f.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.gone {
		b, f.last = append(b, f.last...), nil
		return b, io.EOF
	}
	select {
	case <-f.wake: // for what is read now
	default:
	}
	if !f.greeted {
		f.greeted = true
		b = append(b, f.hello()...)
	}
	for e, n := f.next(), len(b); e != nil; e = e.Next() {
		if len(b)-n > batch {
			return b, nil
		}
		i := e.Value.(*item)
		f.read = i.number
		switch {
		case !f.sees(i) || i.gone && i.number <= f.start:
		case i.later && !f.synced:
			f.later = append(f.later, i.frame...)
		default:
			b = append(b, i.frame...)
		}
	}
	if !f.synced {
		f.synced = true
		b = append(append(b, synced...), f.later...)
		f.later = nil
	}
	return b, nil
}

// next returns the first change that has not been read, or nil.
func (f *Follower) next() (first *list.Element) {
	for e := f.hub.changes.Back(); e != nil && e.Value.(*item).number > f.read; e = e.Prev() {
		first = e
	}
	return first
}
