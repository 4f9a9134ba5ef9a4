package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	writers = 8
	readers = 4
	// startTimeout is how long a server may take to answer after a start.
	startTimeout = 3 * time.Minute
)

// Options are those of a run.
type Options struct {
	// Binary is the devserver, and Data the directory that it keeps its cluster in.
	Binary, Data string
	For          time.Duration
	// Slowness is how to have slow syncs, and Slow in how many of 100 starts.
	Slowness Slowness
	Slow     int
	Seed     uint64
	// Gentle kills only while nothing is under way: nothing may be found then, also
	// with a server that shows what is not durable.
	Gentle bool
	// Kills ends the run after so many, if it is not 0, rather than after a time.
	Kills int
	// Arguments are those of the binary; nil: a server with one cluster. Enter is called with each server before
	// clients use it, which may then use another URL and Client; nil: they use it as it is.
	Arguments []string
	Enter     func(*Server) error
	// Log is called with the progress.
	Log func(format string, args ...any)
}

// delays are by how much a slow sync is slower.
var delays = []time.Duration{20 * time.Millisecond, 80 * time.Millisecond, 200 * time.Millisecond}

// A run is one cluster with all its clients, from kill to kill.
type run struct {
	Options
	random    *rand.Rand
	servers   *Servers
	ledger    *Ledger
	followers []*follower
	writers   []*writer
	readers   []*reader
	figures   Figures
	// compacted is the last revision that the server was asked to compact.
	compacted int64
	marks     int
}

// Run tortures a server for a while. What it found is in the ledger.
func Run(o Options) (*Ledger, Figures, error) {
	r := &run{Options: o, random: rand.New(rand.NewPCG(o.Seed, 0)), servers: NewServers(), ledger: NewLedger(0, nil)}
	for i := range writers {
		r.writers = append(r.writers, newWriter(i, r.ledger, o.Seed))
	}
	for i := range readers {
		r.readers = append(r.readers, newReader(i, r.ledger, o.Seed))
		r.followers = append(r.followers, newFollower(fmt.Sprintf("follower %d", i), r.ledger, i%2 == 1, o.Seed))
	}
	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup
	defer following.Wait()
	defer cancel()
	began := time.Now()
	for first := true; ; first = false {
		over := !first && time.Since(began) > o.For
		if o.Kills > 0 {
			over = r.figures.Kills >= o.Kills
		}
		s, delay, err := r.start()
		if err != nil {
			return r.ledger, r.done(began), err
		}
		if first {
			if err := r.begin(s); err != nil {
				s.Kill()
				return r.ledger, r.done(began), err
			}
			for _, f := range r.followers {
				following.Go(func() { f.follow(ctx, r.servers) })
			}
		}
		r.servers.Set(s)
		falseStart := !over && !r.Gentle && r.random.IntN(6) == 0
		if !falseStart {
			if err := r.check(s, delay); err != nil {
				s.Kill()
				return r.ledger, r.done(began), fmt.Errorf("%w\nthe server said:\n%s", err, s.Output())
			}
		}
		if over {
			cancel()
			s.Kill()
			return r.ledger, r.done(began), nil
		}
		if falseStart {
			r.kill(s, time.Duration(r.random.IntN(50))*time.Millisecond, nil)
		} else {
			r.work(s, delay)
		}
	}
}

func (r *run) done(began time.Time) Figures {
	r.ledger.mu.Lock()
	defer r.ledger.mu.Unlock()
	figures := r.ledger.figures
	figures.Took, figures.Kills, figures.Slow = time.Since(began), r.figures.Kills, r.figures.Slow
	for _, f := range r.followers {
		f.mu.Lock()
		figures.Relists += f.relists
		f.mu.Unlock()
	}
	return figures
}

// start starts the next server, perhaps with a slow disk; delay is by how much.
func (r *run) start() (*Server, time.Duration, error) {
	slowness, delay := AsItIs, time.Duration(0)
	if r.Slowness != AsItIs && r.random.IntN(100) < r.Slow {
		r.figures.Slow++
		slowness, delay = r.Slowness, delays[r.random.IntN(len(delays))]
	}
	arguments := r.Arguments
	if arguments == nil {
		arguments = plain
	}
	s, err := start(r.Binary, arguments, r.Data, slowness, delay)
	if err == nil && r.Enter != nil {
		if err = r.Enter(s); err != nil {
			s.Kill()
		}
	}
	return s, delay, err
}

// begin takes the first server as it is.
func (r *run) begin(s *Server) error {
	base, state, err := s.list(0, nil)
	if err != nil {
		return err
	}
	r.ledger.mu.Lock()
	defer r.ledger.mu.Unlock()
	r.ledger.begin(base, state)
	return nil
}

// work lets all clients work on a server, and kills it.
func (r *run) work(s *Server, delay time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var working sync.WaitGroup
	for _, w := range r.writers {
		working.Go(func() { w.write(ctx, s) })
	}
	for _, reader := range r.readers {
		working.Go(func() { reader.read(ctx, s) })
	}
	if at := r.ledger.Base(); r.random.IntN(4) > 0 {
		working.Go(func() { r.compact(s, at) })
	}
	life := time.Duration(50+r.random.IntN(1200))*time.Millisecond + 2*delay
	var late func()
	if r.random.IntN(5) == 0 { // history is shorter, and a follower has to list again
		r.followers[r.random.IntN(len(r.followers))].stall(s)
		late = func() { r.compact(s, r.ledger.Head()-int64(r.random.IntN(20))) }
	}
	if r.Gentle {
		r.pause(s, life, late)
		cancel()
		working.Wait()
		_, _ = r.mark(s, 0) // all before it is durable once it is answered
		life, late = 0, nil
	}
	r.kill(s, life, late)
	cancel()
	working.Wait()
}

// pause lets a server live for a while; halfway it does something else.
func (r *run) pause(s *Server, after time.Duration, halfway func()) {
	timer := time.NewTimer(after / 2)
	defer timer.Stop()
	wait := func() {
		select {
		case <-timer.C:
		case <-s.Gone:
		}
	}
	wait()
	if halfway != nil {
		halfway()
	}
	timer.Reset(after / 2)
	wait()
}

// kill kills a server after a time.
func (r *run) kill(s *Server, after time.Duration, halfway func()) {
	r.pause(s, after, halfway)
	if s.Dead() {
		r.ledger.add(Diverged, "the server ended by itself:\n%s", s.Output())
	}
	s.Kill()
	r.servers.Set(nil)
	r.figures.Kills++
	if r.figures.Kills%100 == 0 {
		r.Log("%d kills, %d findings", r.figures.Kills, r.ledger.findings())
	}
}

// compact makes the server compact a revision.
func (r *run) compact(s *Server, revision int64) {
	r.compacted = max(r.compacted, revision)
	path := wellknown.ControlPlane + "/compact"
	_, _ = s.do("POST", path, "application/json", fmt.Sprintf(`{"revision":%d}`, revision)) // it may have been killed
}

// Slow returns a way to have slow syncs with this binary, or AsItIs. It measures whether syncs are slow: on a fast disk
// a test could not fail.
func Slow(binary string, temporary func() string) (Slowness, error) {
	const delay = 150 * time.Millisecond
	for _, slowness := range []Slowness{BySetting, ByTracing} {
		if slowness == ByTracing && !tracing() {
			continue
		}
		s, err := start(binary, plain, temporary(), slowness, delay)
		if err != nil {
			return AsItIs, err
		}
		began := time.Now()
		a, err := s.do("POST", collection, "application/json", `{"metadata":{"name":"probe"}}`)
		took := time.Since(began)
		s.Kill()
		if err != nil || a.code >= 300 {
			return AsItIs, fmt.Errorf("a write to a server with slow syncs: %d %s %w", a.code, a.body, err)
		}
		if took >= delay*9/10 {
			return slowness, nil
		}
	}
	return AsItIs, nil
}
