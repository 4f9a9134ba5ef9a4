package linearizable

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/tabernetes/tabernetes/core"
)

const (
	// restart is a pseudo operation: its output's version is that of the collection after the restart.
	restart = verbs
	// unknown is the outcome of a write that was answered with a server error, or not at all.
	unknown = "unknown"

	// runs is how often a cluster is started, and work how many requests each client makes in one run,
	// unless the disk fails before.
	runs = 5
	work = 60
	// maxUnknown is the maximum number of writes of unknown outcome of a client in one run: each doubles
	// the time of a check.
	maxUnknown = 2
)

// effect returns the next state if a request takes effect.
func (s state) effect(in input) state {
	old := s.objects[in.key]
	exists := old != entry{}
	switch {
	case in.verb == create && !exists,
		in.verb == update && exists && (in.version == 0 || in.version == old.version):
		s.head++
		s.objects[in.key] = entry{in.value, s.head}
	case in.verb == remove && exists:
		s.head++
		s.objects[in.key] = entry{}
	}
	return s
}

// restartable returns a cluster, from a revision on and without objects, that is begun
// again now and then. Its revision may leap by that, but not go back. A write of
// unknown outcome takes effect at any time until then, or never.
func restartable(head int64) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{state{head: head}} },
		Step: func(from, in, out any) []any {
			s, i, o := from.(state), in.(input), out.(output)
			switch {
			case i.verb == restart && o.version < s.head:
				return nil
			case i.verb == restart:
				s.head = o.version
				return []any{s}
			case o.reason == unknown:
				return []any{s, s.effect(i)}
			}
			if ok, next := s.step(i, o); ok {
				return []any{next}
			}
			return nil
		},
		Equal: func(a, b any) bool { return a.(state) == b.(state) },
	}
	return model.ToModel()
}

// restarted starts a cluster on a disk.
func restarted(t *testing.T, d *disk, seed uint64) *core.Cluster {
	t.Helper()
	c, _ := start(t, seed, d)
	if r := c.Recovery(); r.SetAside != "" || r.Unsaved {
		t.Fatalf("what a crash has left cannot be read: %+v", r)
	}
	return c
}

// runClients lets clients make random requests concurrently until the disk fails for good, which it does
// after a while. Reads that fail are left out.
func runClients(t *testing.T, c *core.Cluster, d *disk, now *atomic.Int64, seed uint64,
	life int) (history []porcupine.Operation) {
	histories := make([][]porcupine.Operation, clients)
	var working sync.WaitGroup
	var ended atomic.Int64
	for id := range clients {
		working.Go(func() {
			c := client{t, c}
			random := rand.New(rand.NewPCG(seed, uint64(life*clients+id)))
			var seen [keys]int64
			doubtful := 0
			for n := 0; n < work && doubtful < maxUnknown && !d.died(); n++ {
				in := anyInput(random, seen, fmt.Sprintf("%d-%d-%d", life, id, n))
				op := porcupine.Operation{ClientId: id, Input: in, Call: now.Add(1)}
				out := c.do(in)
				op.Return = now.Add(1)
				// Answers after the disk has failed have reached no client.
				failed := d.died() || out.reason == "InternalError" || out.reason == "ServiceUnavailable"
				if failed && (in.verb == get || in.verb == list) {
					continue
				}
				if failed {
					out, op.Return = output{reason: unknown}, 0
					doubtful++
				} else if out.version != 0 && in.verb != list {
					seen[in.key] = out.version
				}
				op.Output = out
				histories[id] = append(histories[id], op)
			}
			if ended.Add(1) == clients/2 {
				d.die() // while the others work
			}
		})
	}
	working.Wait()
	end := now.Add(1)
	for id, h := range histories {
		for n := range h {
			if h[n].Return == 0 { // until then it may take effect
				h[n].Return = end
				h[n].ClientId = clients + id*work + n // which continues meanwhile
			}
		}
		history = append(history, h...)
	}
	return history
}

// firstBeyond describes where the longest sound part of a history ends: the state that it leads to,
// and the requests that were open or made next.
func firstBeyond(info porcupine.LinearizationInfo, history []porcupine.Operation) string {
	var longest []porcupine.Operation
	for _, partition := range info.PartialLinearizationsOperations() {
		for _, part := range partition {
			if len(part) > len(longest) {
				longest = part
			}
		}
	}
	describe := model(0).DescribeOperation
	line := func(op porcupine.Operation) string {
		return fmt.Sprintf("\n%6d-%-6d %s", op.Call, op.Return, describe(op.Input, op.Output))
	}
	var b strings.Builder
	b.WriteString("\nthe longest sound part ends with")
	within := map[porcupine.Operation]bool{}
	for n, op := range longest {
		within[op] = true
		if n >= len(longest)-10 {
			b.WriteString(line(op))
		}
	}
	b.WriteString("\nand then there are")
	rest := slices.DeleteFunc(slices.Clone(history), func(op porcupine.Operation) bool { return within[op] })
	slices.SortFunc(rest, func(a, b porcupine.Operation) int { return cmp.Compare(a.Return, b.Return) })
	for _, op := range rest[:min(len(rest), 15)] {
		b.WriteString(line(op))
	}
	return b.String()
}

func TestRestartsAreLinearizable(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			var history []porcupine.Operation
			var now atomic.Int64
			var from int64
			var before *disk
			random := rand.New(rand.NewPCG(seed, 1000))
			failures := 0
			for life := range runs {
				d := newDisk(before, random)
				call := now.Add(1)
				c := restarted(t, d, seed*runs+uint64(life))
				read := client{t, c}.do(input{verb: list})
				if life == 0 {
					from = read.version
				} else {
					began := output{entry: entry{version: read.version}}
					history = append(history,
						porcupine.Operation{Input: input{verb: restart}, Output: began, Call: call, Return: now.Add(1)},
						porcupine.Operation{Input: input{verb: list}, Output: read, Call: now.Add(1), Return: now.Add(1)})
				}
				d.startFailing()
				lived := runClients(t, c, d, &now, seed, life)
				for _, op := range lived {
					if op.Output.(output).reason == unknown {
						failures++
					}
				}
				history = append(history, lived...)
				_ = c.Close() // it cannot save anything
				before = d
			}
			if failures == 0 {
				t.Error("no write failed")
			}
			result, info := porcupine.CheckOperationsVerbose(restartable(from), history, checkTimeout)
			told := fmt.Sprintf("seed %d: the history of %d requests, %d of unknown outcome, is %s", seed, len(history),
				failures, result)
			switch result {
			case porcupine.Illegal:
				t.Error(told + firstBeyond(info, history))
			case porcupine.Unknown: // there were too many unknown outcomes to decide it in time
				t.Skip(told)
			}
		})
	}
}

// TestBrokenRestartsAreRefused checks that the check can fail.
func TestBrokenRestartsAreRefused(t *testing.T) {
	op := func(call, end int64, in input, out output) porcupine.Operation {
		return porcupine.Operation{ClientId: int(call), Input: in, Output: out, Call: call, Return: end}
	}
	one, two := entry{"one", 2}, entry{"two", 3}
	created := op(1, 2, input{verb: create, value: "one"}, output{entry: one})
	doubtful := op(3, 10, input{verb: update, value: "two"}, output{reason: unknown})
	shown := op(5, 6, input{verb: get}, output{entry: two})
	restarted := func(version int64) porcupine.Operation {
		return op(11, 12, input{verb: restart}, output{entry: entry{version: version}})
	}
	listed := func(version int64, e entry) porcupine.Operation {
		return op(13, 14, input{verb: list}, output{entry: entry{version: version}, objects: [keys]entry{e}})
	}
	for name, c := range map[string]struct {
		history []porcupine.Operation
		sound   bool
	}{
		"a doubtful write that took effect":  {[]porcupine.Operation{doubtful, restarted(3), listed(3, two)}, true},
		"a doubtful write that did not":      {[]porcupine.Operation{doubtful, restarted(2), listed(2, one)}, true},
		"a doubtful write that was shown":    {[]porcupine.Operation{doubtful, shown, restarted(3), listed(3, two)}, true},
		"a revision that leaps":              {[]porcupine.Operation{doubtful, restarted(100), listed(100, one)}, true},
		"a lost object":                      {[]porcupine.Operation{restarted(2), listed(2, entry{})}, false},
		"a revision that goes back":          {[]porcupine.Operation{restarted(1), listed(1, entry{})}, false},
		"a write that was shown and is gone": {[]porcupine.Operation{doubtful, shown, restarted(3), listed(3, one)}, false},
		"its revision as well":               {[]porcupine.Operation{doubtful, shown, restarted(2), listed(2, one)}, false},
		"a doubtful write with another effect": {[]porcupine.Operation{doubtful, restarted(3), listed(3, entry{"three", 3})},
			false},
		"a doubtful write after the crash": {[]porcupine.Operation{
			doubtful, restarted(2), listed(2, one), op(15, 16, input{verb: get}, output{entry: two}),
		}, false},
	} {
		history := append([]porcupine.Operation{created}, c.history...)
		if got := porcupine.CheckOperations(restartable(1), history); got != c.sound {
			t.Errorf("%s: %v", name, got)
		}
	}
}
