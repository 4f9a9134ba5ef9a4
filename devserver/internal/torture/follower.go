package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"sync"
)

// A follower keeps a copy of the collection by a list and watches, as an informer
// does. It outlives the servers: with each it continues from where it was.
type follower struct {
	name   string
	ledger *Ledger
	// streams reports whether it gets its first list by the watch; otherwise it lists in pages.
	streams bool
	random  *rand.Rand

	mu     sync.Mutex
	cache  State
	listed bool
	// at is the revision that it has reached.
	at int64
	// from is the revision after which events begins: the events since the last check.
	from    int64
	events  []Version
	relists int
	moved   chan struct{} // closed, and replaced, when at changes
	// stalledOn is the server with which it does nothing more, and interrupt ends its watch.
	stalledOn *Server
	interrupt context.CancelFunc
}

func newFollower(name string, l *Ledger, streams bool, seed uint64) *follower {
	return &follower{name: name, ledger: l, streams: streams, random: rand.New(rand.NewPCG(seed, 3)),
		moved: make(chan struct{})}
}

// follow continues until ctx ends, with whatever server is there.
func (f *follower) follow(ctx context.Context, servers *Servers) {
	for {
		s := servers.Await(ctx)
		if s == nil {
			return
		}
		watching, interrupt := context.WithCancel(ctx)
		f.mu.Lock()
		stalledOn := f.stalledOn == s
		f.interrupt = interrupt
		f.mu.Unlock()
		if stalledOn {
			interrupt()
			select {
			case <-s.Gone:
			case <-ctx.Done():
			}
			continue
		}
		err := f.once(watching, s)
		if err != nil && watching.Err() == nil && (errors.Is(err, errWrong) || errors.Is(err, errStatus)) {
			f.ledger.add(Diverged, "%s: %v", f.name, err)
		}
		interrupt()
		if err != nil && !errors.Is(err, errExpired) {
			waitToRetry(ctx, s)
		}
	}
}

// stall makes the follower fall behind until there is another server.
func (f *follower) stall(s *Server) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stalledOn = s
	if f.interrupt != nil {
		f.interrupt()
	}
}

// once lists if need be, and watches until the watch ends.
func (f *follower) once(ctx context.Context, s *Server) error {
	f.mu.Lock()
	listed, at := f.listed, f.at
	f.mu.Unlock()
	// Watches end after some seconds, so that they have bookmarks and continue often.
	query := url.Values{"timeoutSeconds": {strconv.Itoa(3 + f.random.IntN(3))}}
	switch {
	case listed:
		query.Set("resourceVersion", strconv.FormatInt(at, 10))
	case f.streams:
		query.Set("sendInitialEvents", "true")
		query.Set("resourceVersionMatch", "NotOlderThan")
	default:
		revision, state, err := s.list(7, nil)
		if err != nil {
			return err
		}
		f.ledger.ShowList(f.name, revision, state)
		f.begin(state, revision)
		query.Set("resourceVersion", strconv.FormatInt(revision, 10))
		listed = true
	}
	initial := State{}
	err := s.watch(ctx, query, func(e event) error {
		if listed {
			return f.take(e)
		}
		if e.Type != "BOOKMARK" {
			initial[e.Key] = e.Version
			f.ledger.Show(f.name, e.Version)
			return nil
		}
		f.ledger.ShowHead(e.Revision)
		if e.ends {
			listed = true
			f.begin(initial, e.Revision)
		}
		return nil
	})
	if errors.Is(err, errExpired) {
		f.forget()
	}
	return err
}

// take notes an event of a watch.
func (f *follower) take(e event) error {
	if e.Type == "BOOKMARK" {
		f.ledger.ShowHead(e.Revision)
	} else {
		f.ledger.Show(f.name, e.Version)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.Revision < f.at || e.Revision == f.at && e.Type != "BOOKMARK" {
		return fmt.Errorf("%w: at revision %d it is told %s of %v", errWrong, f.at, e.Type, e.Version)
	}
	if e.Type != "BOOKMARK" {
		if _, there := f.cache[e.Key]; there == (e.Type == "ADDED") {
			return fmt.Errorf("%w: it has %v and is told %s of %v", errWrong, f.cache[e.Key], e.Type, e.Version)
		}
		f.cache.apply(e.Version)
		f.events = append(f.events, e.Version)
	}
	f.move(e.Revision)
	return nil
}

func (f *follower) move(to int64) {
	f.at = to
	close(f.moved)
	f.moved = make(chan struct{})
}

// begin replaces the cache by a list.
func (f *follower) begin(state State, revision int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cache = State{}
	for key, v := range state {
		f.cache[key] = v
	}
	f.listed, f.from, f.events = true, revision, nil
	f.relists++
	f.move(revision)
}

// forget makes it list again.
func (f *follower) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listed = false
}

// reach waits until the follower has reached a revision.
func (f *follower) reach(ctx context.Context, revision int64) error {
	for {
		f.mu.Lock()
		at, listed, moved := f.at, f.listed, f.moved
		f.mu.Unlock()
		if listed && at >= revision {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("it is at %d and waits in vain for %d", at, revision)
		}
	}
}

// check compares the follower's events with the history, up to a revision that it has reached, and its cache with the
// state there.
func (f *follower) check(h History, end int64, state State) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d := f.cache.difference(state); d != "" {
		f.ledger.add(Diverged, "%s has, and a list at %d shows: %s", f.name, end, d)
	}
	var want []Version
	for _, e := range h.Events {
		if e.Revision > f.from {
			want = append(want, e)
		}
	}
	got := f.events
	for len(got) > 0 && got[0].Revision <= h.From { // which was compacted
		got = got[1:]
	}
	for i := range max(len(got), len(want)) {
		var g, w Version
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			f.ledger.add(Diverged, "%s was told of %v where the history has %v", f.name, g, w)
			break
		}
	}
	f.from, f.events = end, nil
}
