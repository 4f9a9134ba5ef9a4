// Package faults disturbs the requests of certain clients: rows say which requests, and what goes
// wrong with the answer. The rows come from spec.faults of the ControlPlane.
//
// Invariants: the first row that fits a request and has uses left applies to it, and each use is
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

// MaxRows bounds how many rows there may be.
const MaxRows = 20

// A Row says which requests are disturbed, by all that it names, and how.
type Row struct {
	// UserAgent is what the header of that name begins with, User the user's name. Empty:
	// any.
	UserAgent, User string
	// Verbs and Resources are those of requests to resources; nil: any, and other requests,
	// too. A resource is its plural or Any.
	Verbs, Resources []string
	// Server is the API server that answers, of a request to a resource; nil: any.
	Server *int64
	// Times is how often the row applies; 0: always.
	Times int64
	Effect
}

// Any stands for all resources.
const Any = "*"

// An Effect is what goes wrong. One of its fields is set.
type Effect struct {
	// Status is the code of the error that is the answer; the request is not carried out.
	// RetryAfter is after how many seconds the client is to ask again, 0 if it is not told.
	Status, RetryAfter int64
	// Delay is how much later the answer comes.
	Delay time.Duration
	// CutAfterEvents is after how many events a watch is cut, and CutAfterBytes after how
	// many bytes of its body an answer is.
	CutAfterEvents, CutAfterBytes *int64
	// ChunkBytes is in pieces of how many bytes a body is sent.
	ChunkBytes int64
}

// A Request is what a row looks at.
type Request struct {
	UserAgent, User string
	// Verb and Resource are empty for requests that are to no resource.
	Verb, Resource string
	// Server decides which API server answers; false if there is none. It is asked only if
	// that matters.
	Server func() (int, bool)
}

// A Set is the rows in force and how often each was applied.
type Set struct {
	rows    []Row
	applied []atomic.Int64
}

// New returns the set of the rows, of which none has been applied; nil for no rows.
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

// Choose counts and returns the row that applies to a request, and which it is; nil if none
// does.
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
