// Package memory bounds the memory of the whole devserver process: its own cluster and all rooms.
//
// What one cluster may take is counted where it is taken: objects and history (Options.Quota), schemas
// (core/internal/customresource), what its requests hold at the moment (apiserver.Memory). Bound is the sum of that,
// with what Go's garbage collector and the estimates need. The collector gets it, and works harder
// near it; and a Guard watches what is in use, and refuses what would take more before the bound is reached,
// whatever it is that takes it. GiveBack returns freed memory to the system once connections have closed, and
// Usage says what is in use.
//
// Invariants: a Guard never refuses the server's own cluster anything, and nobody what frees memory or is
// small. It costs a few microseconds, four times a second, and a load for each request of a room.
package memory

import (
	"context"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
	"github.com/tabernetes/tabernetes/core/status"
)

// The parts of the bound, in bytes.
const (
	// Base is for the program, its connections, OpenAPI documents, and what all requests together hold at the
	// moment: see InFlight.
	Base int64 = 1 << 30
	// RoomQuota is how much the objects of a room and their history may take.
	RoomQuota int64 = 64 << 20
	// PerRoom is what a room may take: its objects and history, half as much for the schemas of its definitions,
	// and as much as both for encoded events, streams, and the lines that its followers share.
	PerRoom = 3 * RoomQuota
)

// What all requests together hold at the moment, in bytes, as apiserver.NewMemory takes it.
const (
	// Bodies is for bodies as they arrive.
	Bodies int64 = 128 << 20
	// InFlight is for what is made of bodies and stored objects while a request is carried out.
	InFlight int64 = 512 << 20
)

// Bound returns how much memory a process may take at most, in bytes: with its own cluster with this
// quota, and so many open rooms.
func Bound(quota int64, rooms int) int64 { return Base + quota/2*5 + int64(rooms)*PerRoom }

// A level says how much of the bound is in use.
type level = int32

const (
	calm     level = iota
	short          // more than three quarters
	critical       // more than nine tenths
)

// A Guard keeps a process with rooms within its bound. Set its fields before use.
type Guard struct {
	// Quota is that of the server's own cluster, in bytes.
	Quota int64
	// Rooms returns how many rooms are open.
	Rooms func() int
	// Disconnect ends the streams of all rooms: their clients continue where they were.
	Disconnect func()
	// Used returns how much memory is in use, in bytes; nil: what Go's last collection has left, and stacks.
	Used func() int64

	level atomic.Int32
	since int // how many looks ago it collected garbage
}

// interval is how often a Guard looks, and patience how many looks it relies on a collection while memory is
// short.
const (
	interval = 250 * time.Millisecond
	patience = 8
)

// Run tells the collector of the bound as rooms come and go, and watches what is in use, until ctx ends. A
// limit that the environment has (GOMEMLIMIT) is left as it is.
func (g *Guard) Run(ctx context.Context) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	_, given := os.LookupEnv("GOMEMLIMIT")
	told := int64(0)
	for {
		bound := Bound(g.Quota, g.Rooms())
		if bound != told && !given {
			debug.SetMemoryLimit(bound)
			told = bound
		}
		g.look(bound)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// look compares what is in use with the bound.
func (g *Guard) look(bound int64) {
	is, used := calm, g.used(bound)
	switch {
	case used > bound/10*9:
		is = critical
	case used > bound/4*3:
		is = short
	}
	if was := g.level.Swap(is); is == critical && was != critical {
		g.Disconnect()
		runtime.GC() // so that the next look sees what that has freed
	}
}

func (g *Guard) used(bound int64) int64 {
	if g.Used != nil {
		return g.Used()
	}
	objects, live, stacks := read()
	g.since++
	garbage := objects+stacks > bound/4*3 && live+stacks <= bound/4*3
	if garbage || g.level.Load() != calm && g.since >= patience {
		runtime.GC()
		g.since = 0
		_, live, stacks = read()
	}
	return live + stacks
}

// read returns the bytes of all objects, garbage included, of those that the last collection has left, and of
// stacks.
func read() (objects, live, stacks int64) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	value := func(i int) int64 { return int64(samples[i].Value.Uint64()) }
	return value(0), value(1), value(2)
}

// Limit returns a handler for rooms that refuses, when memory is short, what would take more.
func (g *Guard) Limit(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if is := g.level.Load(); is != calm && takes(r, is) {
			roomhost.Refuse(w, status.NewUnavailable("the server is short of memory: try again later", 5))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// takes reports whether a request may take much memory, or keep it.
func takes(r *http.Request, is level) bool {
	const large, small = 64 << 10, 4 << 10
	switch {
	case r.Method == http.MethodDelete:
		return false
	case r.URL.Path+"/" == roomhost.Path, r.URL.Path == roomhost.Path:
		return true
	case r.ContentLength < 0, r.ContentLength > large:
		return true
	case r.URL.Query().Has("watch"), strings.HasSuffix(r.URL.Path, "/follow"), strings.HasSuffix(r.URL.Path, "/relay"):
		return true
	}
	return is == critical && (r.Method == http.MethodGet || r.ContentLength > small)
}
