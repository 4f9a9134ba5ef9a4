package compare

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/devserver/internal/memory"
)

const (
	// rounds is how often the two sides take turns. The median counts.
	rounds = 25
	// turnTime is about how long one side works in a round.
	turnTime = 150 * time.Millisecond
)

// A comparison is one kind of work, done by the API server and by a bare handler.
type comparison struct {
	name string
	// bound is the least ratio of speeds, ours to that of the bare handler.
	bound float64
	// start prepares the two sides, and returns functions that do the work once.
	start func(*fixture) (ours, bare func() error, err error)
}

// Run runs all comparisons and measures the memory, printing a line for each. It returns an error if a bound is
// exceeded.
func Run(ctx context.Context, out io.Writer) error {
	var missed error
	report := func(name, measured string, ok bool, bound string) {
		verdict := "within"
		if !ok {
			verdict = "PAST"
			missed = errors.Join(missed, fmt.Errorf("%s: %s, bound %s", name, measured, bound))
		}
		fmt.Fprintf(out, "  %-44s %s; %s the bound of %s\n", name, measured, verdict, bound)
	}
	fmt.Fprintln(out, "against a bare net/http handler, over loopback")
	for _, c := range comparisons {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		ours, bare, err := c.run()
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		ratio := bare.time.Seconds() / ours.time.Seconds()
		measured := fmt.Sprintf("%.2f of it: %v, bare %v", ratio, round(ours.time), round(bare.time))
		if ours.processor > 0 && bare.processor > 0 {
			// What else the machine does changes this less.
			measured += fmt.Sprintf("; of processors %.2f: %v, bare %v", bare.processor.Seconds()/ours.processor.Seconds(),
				round(ours.processor), round(bare.processor))
		}
		report(c.name, measured, ratio >= c.bound, fmt.Sprint(c.bound))
	}
	fmt.Fprintln(out, "memory")
	for _, w := range memoryCosts {
		bytes, bound, err := w.measure()
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		report(w.name, fmt.Sprintf("%.0f bytes", bytes), bytes <= bound, fmt.Sprintf("%.0f", bound))
	}
	return missed
}

// round drops digits that mean nothing.
func round(d time.Duration) time.Duration { return d.Round(max(1, d/1000)) }

// A cost is what one piece of work takes: the median of its turns, and, over all of them, the time of the processors,
// of client and server together; 0 where that is not known.
type cost struct{ time, processor time.Duration }

// run returns what one piece of work costs on each side.
func (c comparison) run() (ours, bare cost, err error) {
	a, err := newFixture()
	if err != nil {
		return ours, bare, err
	}
	defer a.close()
	work, least, err := c.start(a)
	if err != nil {
		return ours, bare, err
	}
	var sides [2]turns
	for range rounds {
		for side, do := range []func() error{work, least} {
			if err := sides[side].measure(do); err != nil {
				return ours, bare, err
			}
		}
	}
	return sides[0].cost(), sides[1].cost(), nil
}

// turns are those of one side.
type turns struct {
	times     []time.Duration // of a piece of work, in each
	processor time.Duration
	made      int
}

// measure works for turnTime.
func (t *turns) measure(do func() error) error {
	before, begin, n := memory.ReadProcess(0), time.Now(), 0
	for n == 0 || time.Since(begin) < turnTime {
		if err := do(); err != nil {
			return err
		}
		n++
	}
	t.times = append(t.times, time.Since(begin)/time.Duration(n))
	t.processor += memory.ReadProcess(0).Since(before).Processor
	t.made += n
	return nil
}

func (t *turns) cost() cost {
	return cost{median(t.times), t.processor / time.Duration(t.made)}
}

// median returns the one in the middle of some values, which it sorts.
func median[T cmp.Ordered](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}

// A fixture is a cluster in memory, and a client that servers share.
type fixture struct {
	cluster *core.Cluster
	client  *http.Client
	servers []*httptest.Server
}

func newFixture() (*fixture, error) {
	cluster, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader, Build: "bench"})
	if err != nil {
		return nil, err
	}
	return &fixture{cluster: cluster, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}}}, nil
}

// serve serves a handler on loopback and returns its URL.
func (a *fixture) serve(h http.Handler) string {
	s := httptest.NewServer(h)
	a.servers = append(a.servers, s)
	return s.URL
}

func (a *fixture) close() {
	a.cluster.Close() // in memory: nothing to lose
	for _, s := range a.servers {
		s.CloseClientConnections()
		s.Close()
	}
	a.client.CloseIdleConnections()
}
