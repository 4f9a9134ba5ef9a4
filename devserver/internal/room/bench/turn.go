package bench

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/memory"
)

// A turn is what was measured while the writers wrote at one pace.
type turn struct {
	pace int
	// wrote is how long they wrote, all how long until everything had arrived.
	wrote, all time.Duration
	// writes are how long each took, arrivals how long each commit took to each follower, and slowest to
	// the last of them.
	writes, arrivals, slowest []time.Duration
	bytes                     int64
	server, own               memory.Process
}

// collect takes what the followers have, which has to be the same commits for each.
func (t *turn) collect(followers []*follower) error {
	slowest := map[int64]time.Duration{}
	for i, f := range followers {
		f.mu.Lock()
		for _, a := range f.arrivals {
			t.arrivals = append(t.arrivals, a.lag)
			slowest[a.revision] = max(slowest[a.revision], a.lag)
		}
		t.bytes += f.bytes
		n := len(f.arrivals)
		f.mu.Unlock()
		if n != len(t.writes) {
			return fmt.Errorf("follower %d got %d commits of %d", i, n, len(t.writes))
		}
	}
	for _, lag := range slowest {
		t.slowest = append(t.slowest, lag)
	}
	for _, list := range [][]time.Duration{t.writes, t.arrivals, t.slowest} {
		slices.Sort(list)
	}
	return nil
}

const row = "  %-7s %8s %16s %24s %24s %9s %22s %8s\n"

func header(out io.Writer) {
	fmt.Fprintf(out, row, "pace", "writes/s", "write ms p50 p99", "lag ms p50 p99 max", "slowest ms p50 p99 max",
		"sent MB/s", "server CPU, /write, MB", "own CPU")
}

func (t *turn) print(out io.Writer) {
	pace := "full"
	if t.pace > 0 {
		pace = fmt.Sprintf("%d/s", t.pace)
	}
	seconds := t.all.Seconds()
	server := "unknown"
	if t.server.Known {
		server = fmt.Sprintf("%.2f, %.1f ms, %.0f", t.server.Processor.Seconds()/seconds,
			t.server.Processor.Seconds()*1000/float64(max(1, len(t.writes))), float64(t.server.Resident)/1e6)
	}
	fmt.Fprintf(out, row, pace, fmt.Sprintf("%.0f", float64(len(t.writes))/t.wrote.Seconds()),
		ms(t.writes, 0.5, 0.99), ms(t.arrivals, 0.5, 0.99, 1), ms(t.slowest, 0.5, 0.99, 1),
		fmt.Sprintf("%.1f", float64(t.bytes)/1e6/seconds), server,
		fmt.Sprintf("%.2f", t.own.Processor.Seconds()/seconds))
}

// ms returns quantiles of a sorted list in milliseconds.
func ms(list []time.Duration, quantiles ...float64) (text string) {
	for _, q := range quantiles {
		if len(list) == 0 {
			return "none"
		}
		at := list[min(len(list)-1, int(q*float64(len(list))))]
		text += fmt.Sprintf(" %7.1f", float64(at.Microseconds())/1000)
	}
	return text
}
