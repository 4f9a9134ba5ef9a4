package linearizable

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	clients = 8
	// requests is how many each client makes.
	requests = 400
	// checkTimeout is the time limit of a check; it usually takes milliseconds.
	checkTimeout = time.Minute
)

// start begins a cluster with what a storage has.
func start(t *testing.T, seed uint64, storage journal.Storage) (*core.Cluster, *clock.Manual) {
	t.Helper()
	manual := clock.NewManual(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	c, err := core.New(core.Options{Clock: manual, Rand: rand.NewChaCha8([32]byte{byte(seed)}), Build: "test",
		Storage: storage})
	if err != nil {
		t.Fatal(err)
	}
	return c, manual
}

// newCluster returns a cluster whose time flies, so that nothing waits long for a
// cache that lags.
func newCluster(t *testing.T, seed uint64, spec string) http.Handler {
	t.Helper()
	c, manual := start(t, seed, nil)
	if w := apitest.Do(c, "PATCH", wellknown.ControlPlane, `{"spec":`+spec+`}`); w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", spec, w.Code, w.Body)
	}
	var over atomic.Bool
	var flies sync.WaitGroup
	flies.Go(func() {
		for !over.Load() {
			manual.Advance(tick)
			runtime.Gosched()
		}
	})
	t.Cleanup(func() {
		over.Store(true)
		flies.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// tick is the step by which a cluster's clock advances.
const tick = 10 * time.Millisecond

// record lets clients make random requests concurrently and returns the history.
func record(t *testing.T, server http.Handler, seed uint64) []porcupine.Operation {
	t.Helper()
	var now atomic.Int64 // orders the beginnings and ends of requests
	histories := make([][]porcupine.Operation, clients)
	var working sync.WaitGroup
	for id := range clients {
		working.Go(func() {
			c := client{t, server}
			random := rand.New(rand.NewPCG(seed, uint64(id)))
			var seen [keys]int64 // the versions this client knows
			for n := range requests {
				in := anyInput(random, seen, fmt.Sprintf("%d-%d", id, n))
				op := porcupine.Operation{ClientId: id, Input: in, Call: now.Add(1)}
				out := c.do(in)
				op.Output, op.Return = out, now.Add(1)
				if out.version != 0 && in.verb != list {
					seen[in.key] = out.version
				}
				histories[id] = append(histories[id], op)
			}
		})
	}
	working.Wait()
	var all []porcupine.Operation
	for _, h := range histories {
		all = append(all, h...)
	}
	return all
}

// head returns the revision of the last write.
func head(t *testing.T, server http.Handler) int64 {
	return client{t, server}.do(input{verb: list}).version
}

func TestMostRecentReadsAreLinearizable(t *testing.T) {
	for name, spec := range map[string]string{
		"one API server":                      `{"controllers":{"enabled":false}}`,
		"three, of which two lag":             `{"cache":{"replicas":[{},{"lagSeconds":1},{"lagSeconds":2}]}}`,
		"two that lag longer than reads wait": `{"cache":{"replicas":[{"lagSeconds":60},{"frozen":true}]}}`,
	} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				t.Parallel()
				server := newCluster(t, seed, spec)
				from := head(t, server)
				history := record(t, server, seed)
				result, info := porcupine.CheckOperationsVerbose(model(from), history, checkTimeout)
				if result != porcupine.Ok {
					t.Errorf("seed %d: the history of %d requests from %d on is %s%s", seed, len(history), from, result,
						firstBeyond(info, history))
				}
				counts := map[string]int{}
				for _, op := range history {
					counts[op.Input.(input).verb.String()+" "+op.Output.(output).reason]++
				}
				for _, outcome := range []string{"create ", "create AlreadyExists", "update ", "update Conflict", "update NotFound",
					"delete ", "delete NotFound", "get ", "get NotFound", "list "} {
					if counts[outcome] == 0 {
						t.Errorf("no request was answered %q: %v", outcome, counts)
					}
				}
			})
		}
	}
}

// TestBrokenHistoriesAreRefused checks that the check can fail.
func TestBrokenHistoriesAreRefused(t *testing.T) {
	op := func(at int64, in input, out output) porcupine.Operation {
		return porcupine.Operation{Input: in, Output: out, Call: at, Return: at + 1}
	}
	one, two := entry{"one", 2}, entry{"two", 3}
	created := op(1, input{verb: create, value: "one"}, output{entry: one})
	updated := op(3, input{verb: update, value: "two"}, output{entry: two})
	for name, last := range map[string]porcupine.Operation{
		"a stale get":              op(5, input{verb: get}, output{entry: one}),
		"a lost object":            op(5, input{verb: get}, output{reason: "NotFound"}),
		"a stale list":             op(5, input{verb: list}, output{entry: entry{version: 2}, objects: [keys]entry{one}}),
		"a list of another time":   op(5, input{verb: list}, output{entry: entry{version: 2}, objects: [keys]entry{two}}),
		"two creations":            op(5, input{verb: create, value: "x"}, output{entry: entry{"x", 4}}),
		"a lost update":            op(5, input{verb: update, value: "x", version: 2}, output{entry: entry{"x", 4}}),
		"a version that goes back": op(5, input{verb: update, value: "x"}, output{entry: entry{"x", 2}}),
	} {
		if porcupine.CheckOperations(model(1), []porcupine.Operation{created, updated, last}) {
			t.Errorf("%s is accepted", name)
		}
	}
	sound := op(5, input{verb: list}, output{entry: entry{version: 3}, objects: [keys]entry{two}})
	if !porcupine.CheckOperations(model(1), []porcupine.Operation{created, updated, sound}) {
		t.Error("a sound history is refused")
	}
}

// TestAnyVersionIsNotLinearizable shows that "0" is different: a server with a stale cache answers
// it with an old state.
func TestAnyVersionIsNotLinearizable(t *testing.T) {
	server := newCluster(t, 1, `{"cache":{"replicas":[{"frozen":true}]}}`)
	c := client{t, server}
	c.do(input{verb: create, value: "x"})
	w := apitest.Do(server, "GET", collection+"?resourceVersion=0", "")
	if strings.Contains(w.Body.String(), `"name":"k0"`) {
		t.Errorf("a frozen cache knows what was made since: %s", w.Body)
	}
}
