package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/memory"
)

// Options say what to measure.
type Options struct {
	// URL is the server's: rooms are opened by POST URL/rooms.
	URL string
	// Process is the server's process, to measure what it takes; -1: that is not known.
	Process int
	// Followers have a relay open each, and Writers write, each in turn.
	Followers, Writers int
	// Time is how long each turn lasts.
	Time time.Duration
	// Paces are how many writes are made in a second in each turn; 0: as many as are answered.
	Paces []int
	// WebSocket makes followers use one each, rather than a response that does not end.
	WebSocket bool
}

// Run measures and prints a table.
func Run(ctx context.Context, out io.Writer, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// workerd closes connections that were idle for 5 s, and what is written to one then is not answered.
	transport := &http.Transport{
		MaxIdleConnsPerHost: o.Writers, DisableCompression: true, IdleConnTimeout: 3 * time.Second,
	}
	defer transport.CloseIdleConnections()
	r, err := open(ctx, o.URL, &http.Client{Transport: transport})
	if err != nil {
		return err
	}
	tokens, err := r.members(ctx, o.Writers+o.Followers)
	if err != nil {
		return err
	}
	b := &bench{Options: o, room: r, writers: tokens[:o.Writers]}
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel(nil)
	began := time.Now()
	for _, token := range tokens[o.Writers:] {
		f := &follower{bench: b, synced: make(chan struct{})}
		b.followers = append(b.followers, f)
		running.Go(func() {
			if err := f.follow(ctx, token); ctx.Err() == nil {
				cancel(fmt.Errorf("a follower: %w", errors.Join(err, io.ErrUnexpectedEOF)))
			}
		})
	}
	for _, f := range b.followers {
		select {
		case <-f.synced:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	how := "HTTP"
	if o.WebSocket {
		how = "WebSocket"
	}
	fmt.Fprintf(out, "%d followers over %s, begun in %.1f s; %d writers of a ConfigMap of 1 KB each\n",
		o.Followers, how, time.Since(began).Seconds(), o.Writers)
	header(out)
	for _, pace := range o.Paces {
		t, err := b.turn(ctx, pace)
		if err != nil {
			return err
		}
		t.print(out)
	}
	if cut := r.cut.Load(); cut > 0 {
		fmt.Fprintf(out, "  %d requests were made again, since the server had closed their connection\n", cut)
	}
	return nil
}

// bench is a room and who uses it.
type bench struct {
	Options
	room      *room
	writers   []string // their tokens
	followers []*follower
	sequence  atomic.Int64
	// since is when the turn began, in nanoseconds.
	since atomic.Int64
}

// turn lets the writers write for a while, and waits until every follower has got all of it.
func (b *bench) turn(ctx context.Context, pace int) (*turn, error) {
	for _, f := range b.followers {
		f.reset()
	}
	b.room.client.CloseIdleConnections() // which the server may be about to close
	server, own := memory.ReadProcess(b.Process), memory.ReadProcess(0)
	start := time.Now()
	b.since.Store(start.UnixNano())
	writing, stop := context.WithDeadline(ctx, start.Add(b.Time))
	defer stop()
	took := make([][]time.Duration, len(b.writers))
	errs := make([]error, len(b.writers))
	var last atomic.Int64
	var running sync.WaitGroup
	for i, token := range b.writers {
		running.Go(func() { took[i], errs[i] = b.write(writing, i, token, pace, &last) })
	}
	running.Wait()
	wrote := time.Since(start)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	for _, f := range b.followers {
		for f.revision.Load() < last.Load() {
			select {
			case <-f.arrived:
			case <-late.C:
				return nil, fmt.Errorf("a follower is at revision %d of %d after a minute", f.revision.Load(), last.Load())
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
	}
	t := &turn{pace: pace, wrote: wrote, all: time.Since(start)}
	t.server, t.own = memory.ReadProcess(b.Process).Since(server), memory.ReadProcess(0).Since(own)
	for _, one := range took {
		t.writes = append(t.writes, one...)
	}
	return t, t.collect(b.followers)
}

// write makes the writes of one writer until ctx ends.
func (b *bench) write(
	ctx context.Context, i int, token string, pace int, last *atomic.Int64,
) (took []time.Duration, err error) {
	var every time.Duration
	next := time.Now()
	if pace > 0 {
		every = time.Second * time.Duration(len(b.writers)) / time.Duration(pace)
		next = next.Add(every * time.Duration(i) / time.Duration(len(b.writers))) // not all at once
	}
	for {
		wait := time.NewTimer(time.Until(next))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return took, nil
		}
		next = next.Add(every)
		start := time.Now()
		// A write that has begun is finished, so that its answer is known.
		rev, err := b.room.write(context.WithoutCancel(ctx), token, i, b.sequence.Add(1))
		if err != nil {
			return took, err
		}
		took = append(took, time.Since(start))
		for {
			if known := last.Load(); rev <= known || last.CompareAndSwap(known, rev) {
				break
			}
		}
	}
}
