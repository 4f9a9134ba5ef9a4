//go:build unix

package costs

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

var only = flag.String("only", "", "only places whose name, such as pods.spec.volumes, begins so")

const (
	// long is the environment variable with which all places are tried.
	long = "TABERNETES_LONG"
	// many is how many entries a list or a map has.
	many = 10_000
	// growth is how much more a request may take with many entries than with a tenth of them.
	growth = 25
	// few is the time that is not worth comparing.
	few = 4 * time.Millisecond
	// attempts is how often a request is measured that seems to take too long: others use the machine as well.
	attempts = 3
	// one in so many places is tried, unless all are.
	oneIn = 400
)

// slow are places that once took time or memory out of proportion.
var slow = []string{
	"pods.spec.containers.args", "pods.spec.volumes", "pods.spec.volumes.secret.items", "pods.spec.initContainers",
	"pods.spec.containers.ports", "pods.spec.initContainers.resources.claims", "csinodes.spec.drivers",
	"storageclasses.allowedTopologies",
}

// requests are sent one after another for each place; each changes the entries.
var requests = []struct{ name, method, media, query string }{
	{"create", "POST", "application/json", ""},
	{"dry run", "PUT", "application/json", "?dryRun=All"},
	{"update", "PUT", "application/json", ""},
	{"merge patch", "PATCH", "application/merge-patch+json", ""},
	{"strategic merge patch", "PATCH", "application/strategic-merge-patch+json", ""},
	{"apply", "PATCH", "application/apply-patch+yaml", "?fieldManager=m&force=true"},
}

// TestCosts makes requests for an object with many entries in one place, for each place.
func TestCosts(t *testing.T) {
	found, seen, n := bases(t), map[string]bool{}, 0
	for _, r := range schema.Builtin().Resources() {
		if r.Type() == nil || !r.HasVerb("create") {
			continue
		}
		base := found[listOf(r)]
		if base == nil { // of a review, which needs nothing
			base = tree{"metadata": tree{"name": "x"}}
		}
		object.SetTypeMeta(base, r.APIVersion(), r.Kind)
		for _, p := range places(r.Type()) {
			name := r.Plural + "." + p.String()
			known := seen[p.field()]
			seen[p.field()] = true
			if n++; *only != "" && !strings.HasPrefix(name, *only) || *only == "" && !slices.Contains(slow, name) &&
				(known || os.Getenv(long) == "" && n%oneIn != 0) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				for _, p.same = range []bool{false, true} {
					grows(t, r, base, p)
				}
			})
		}
	}
}

// grows checks how what requests take grows with the number of entries.
func grows(t *testing.T, r *schema.Resource, base tree, p place) {
	var small, large []cost
	for range attempts {
		small, large = cheaper(small, series(t, r, base, p, many/10)), cheaper(large, series(t, r, base, p, many))
		again := false
		for i := range large {
			again = again || large[i].time > growth*max(few, small[i].time)
		}
		if !again {
			break
		}
	}
	for i, l := range large {
		s := small[i]
		t.Logf("%s (the same: %v): %d, %v, %d KB of memory, for a body of %d KB", requests[i].name, p.same, l.code,
			l.time.Round(time.Millisecond), l.bytes>>10, l.body>>10)
		if l.time > growth*max(few, s.time) {
			t.Errorf("%s (the same: %v) takes %v with %d entries, %v with a tenth", requests[i].name, p.same, l.time, many,
				s.time)
		}
		if l.bytes > growth*max(1<<20, s.bytes) {
			t.Errorf("%s (the same: %v) takes %d MB with %d entries, %d KB with a tenth", requests[i].name, p.same,
				l.bytes>>20, many, s.bytes>>10)
		}
	}
}

// A cost is what a request took: processor time, and how many bytes were allocated.
type cost struct {
	time  time.Duration
	bytes int64
	body  int
	code  int
}

// cheaper returns the smaller costs of two series.
func cheaper(a, b []cost) []cost {
	for i := range a {
		b[i].time, b[i].bytes = min(a[i].time, b[i].time), min(a[i].bytes, b[i].bytes)
	}
	return b
}

// series makes the requests with n entries, in a new cluster.
func series(t *testing.T, r *schema.Resource, base tree, p place, n int) (all []cost) {
	c, err := core.New(core.Options{Clock: clock.NewManual(apitest.Start), Rand: apitest.Randomness()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list := listOf(r)
	one := list + "/" + object.Name(base)
	if p.fields[0].Name == "status" && r.Subresource("status") != nil {
		one += "/status"
	}
	for i, q := range requests {
		path := one
		if q.method == http.MethodPost {
			path = list
		} else if !r.HasVerb("get") {
			break
		}
		body, err := json.Marshal(p.with(base, n, i))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, measure(c, q.method, path+q.query, q.media, string(body)))
		if i == 0 && all[0].code >= 300 { // the others change a small one
			body, _ := json.Marshal(base)
			measure(c, q.method, list, q.media, string(body))
		}
	}
	return all
}

// measure makes a request.
func measure(h http.Handler, method, path, media, body string) cost {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", media)
	w := httptest.NewRecorder()
	runtime.GC()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(2 << 30)) // no collection before that
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	from := processor()
	h.ServeHTTP(w, r)
	took := processor() - from
	runtime.ReadMemStats(&after)
	return cost{took, int64(after.TotalAlloc - before.TotalAlloc), len(body), w.Code}
}

// processor returns the processor time that this process has taken.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail: the arguments are right
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
