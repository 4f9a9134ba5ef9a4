package history

import (
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/tap"
)

// Positions are the revisions of etcd and the watch caches, which say why a read waits.
type Positions struct {
	Loading bool // the API server has not started yet
	Head    int64
	Caches  []int64 // how far each watch cache has come
}

// Waits returns what an unanswered request waits for.
func (s Positions) Waits(e *tap.Exchange) string {
	if s.Loading {
		return "waiting for the API server"
	}
	if rev := s.needs(e); rev > 0 && s.cache(e) < rev {
		return "waiting for the cache"
	}
	return "waiting"
}

// cache returns how far the cache has come that answers a request: if it may be any,
// the one that is farthest behind.
func (s Positions) cache(e *tap.Exchange) int64 {
	if n, err := strconv.Atoi(tap.Get(e.Header, wellknown.ReplicaHeader)); err == nil && n >= 0 && n < len(s.Caches) {
		return s.Caches[n]
	}
	slowest := s.Head
	for _, c := range s.Caches {
		slowest = min(slowest, c)
	}
	return slowest
}

// needs returns the revision that a cache has to reach before it answers, 0 if it
// answers at once.
func (s Positions) needs(e *tap.Exchange) int64 {
	q := e.Info.Query
	switch e.Info.Verb {
	case "get", "list", "watch":
	default:
		return 0
	}
	if e.Info.Resource == "" || e.Info.Resource == "events" || q.Get("continue") != "" {
		return 0 // events have no cache, and a page is read as of its first one
	}
	asked, given := q["resourceVersion"]
	if given && asked[0] != "" {
		n, err := strconv.ParseInt(asked[0], 10, 64)
		sends := e.Info.Verb != "watch" || e.Info.Truthy("sendInitialEvents")
		if err != nil || !sends {
			return 0
		}
		return n
	}
	switch {
	case e.Info.Verb == "get":
		return 0 // of etcd
	case e.Info.Verb == "watch" && (strings.EqualFold(q.Get("sendInitialEvents"), "false") || e.Info.Old):
		return 0 // the present state is not asked for, or as any cache has it
	}
	return s.Head
}
