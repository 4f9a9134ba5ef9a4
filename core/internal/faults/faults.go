// Package faults injects faults into the requests of certain clients: rows select requests and have
// an effect on the answer. The rows come from spec.faults of the ControlPlane.
//
// Invariants: the first row that matches a request and has uses left applies to it, and each use is
// counted once. A row never applies more often than its times allow, also with concurrent requests.
//
// A request costs a look at each row. Without rows there is no Set, and no cost.
package faults

import (
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// MaxRows is the maximum number of rows.
const MaxRows = 20

// A Row selects the requests that match all its fields, and has their effect.
type Row struct {
	// UserAgent is a prefix of the header of that name, User the user's name. Empty: any.
	UserAgent, User string
	// Verbs and Resources are those of requests to resources; nil matches any, and other requests, too.
	// A resource is its plural or Any.
	Verbs, Resources []string
	// Server is the API server that answers a request to a resource; nil: any.
	Server *int64
	// Times is how often the row applies; 0: always.
	Times int64
	Effect
}

// Any matches all resources.
const Any = "*"

// An Effect is the effect of a fault. One of its fields is set.
type Effect struct {
	// Status is the code of the error to answer with; the request is not carried out. RetryAfter is the
	// Retry-After header in seconds; 0 for none.
	Status, RetryAfter int64
	// Delay is the delay of the answer.
	Delay time.Duration
	// CutAfterEvents is the number of events after which a watch is cut, and CutAfterBytes the number
	// of bytes of the body after which any answer is.
	CutAfterEvents, CutAfterBytes *int64
	// ChunkBytes is the size of the pieces in which a body is sent.
	ChunkBytes int64
}

// A Request is what rows are matched against.
type Request struct {
	UserAgent, User string
	// Verb and Resource are empty for requests to other paths.
	Verb, Resource string
	// Server returns the API server that answers; false if none exists. It is called only if a row
	// depends on it.
	Server func() (int, bool)
}

// A Set is the rows with the number of times each was applied.
type Set struct {
	rows    []Row
	applied []atomic.Int64
}

// New returns the set of the rows, with zero counts; nil for no rows.
func New(rows []Row) *Set {
	if len(rows) == 0 {
		return nil
	}
	return &Set{rows, make([]atomic.Int64, len(rows))}
}

// Is reports whether the set has these rows. A nil set has none.
func (s *Set) Is(rows []Row) bool {
	if s == nil || len(rows) == 0 {
		return s == nil && len(rows) == 0
	}
	return reflect.DeepEqual(s.rows, rows)
}

// Applied returns how often each row was applied.
func (s *Set) Applied() []int64 {
	if s == nil {
		return nil
	}
	counts := make([]int64, len(s.applied))
	for i := range s.applied {
		counts[i] = s.applied[i].Load()
	}
	return counts
}

// Choose returns the first row that applies to a request and its index, and counts the use; nil if
// none does.
func (s *Set) Choose(q Request) (row *Row, index int) {
	for i := range s.rows {
		if row := &s.rows[i]; row.fits(q) && s.use(i) {
			return row, i
		}
	}
	return nil, 0
}

// use counts one more use of a row, if it has any left.
func (s *Set) use(i int) bool {
	for {
		n := s.applied[i].Load()
		if most := s.rows[i].Times; most > 0 && n >= most {
			return false
		}
		if s.applied[i].CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (r *Row) fits(q Request) bool {
	switch {
	case !strings.HasPrefix(q.UserAgent, r.UserAgent),
		r.User != "" && r.User != q.User,
		r.Verbs != nil && !slices.Contains(r.Verbs, q.Verb),
		r.Resources != nil && (q.Resource == "" || !slices.Contains(r.Resources, Any) &&
			!slices.Contains(r.Resources, q.Resource)),
		r.CutAfterEvents != nil && q.Verb != "watch":
		return false
	case r.Server == nil:
		return true
	}
	server, ok := q.Server()
	return ok && int64(server) == *r.Server
}
