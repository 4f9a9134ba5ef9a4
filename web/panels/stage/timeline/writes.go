package timeline

import "sort"

// A Write is a run of revisions that one request made.
type Write struct {
	First, Last int64
	Req         int // the tap's id
}

// keptWrites bounds the runs kept: the newest.
const keptWrites = 40_000

// Writes knows which request made which revision. Adding costs O(1), finding O(log n).
type Writes struct {
	list []Write // by First
}

// Add says that a request made the revisions first to last. What is known of them already stays; it reports whether
// that was not all of it.
func (w *Writes) Add(req int, first, last int64) bool {
	for first <= last {
		known, ok := w.Of(first)
		if !ok {
			break
		}
		first = known.Last + 1
	}
	if first > last {
		return false
	}
	if n := len(w.list); n > 0 && w.list[n-1].Req == req && w.list[n-1].Last == first-1 {
		w.list[n-1].Last = last
		return true
	}
	if len(w.list) >= keptWrites+keptWrites/4 {
		w.list = append(w.list[:0], w.list[len(w.list)-keptWrites:]...)
	}
	w.list = append(w.list, Write{first, last, req})
	// Answers come nearly in the order of their revisions.
	for i := len(w.list) - 1; i > 0 && w.list[i].First < w.list[i-1].First; i-- {
		w.list[i], w.list[i-1] = w.list[i-1], w.list[i]
	}
	return true
}

// Of returns the run that holds a revision, false if no request is known to
// have made it.
func (w *Writes) Of(rev int64) (Write, bool) {
	i := sort.Search(len(w.list), func(i int) bool { return w.list[i].First > rev }) - 1
	if i < 0 || w.list[i].Last < rev {
		return Write{}, false
	}
	return w.list[i], true
}

// A Read is an answer that showed a state.
type Read struct {
	Req    int
	Server int
	Rev    int64 // the state that it showed
	Head   int64 // the newest one at that time
	Cached bool  // it came from a watch cache, not from etcd
	At     int64 // Unix milliseconds
}

// keptReads is how many reads are kept for each server.
const keptReads = 3

// Reads are the newest answers of each API server, oldest first.
type Reads struct {
	by map[int][]Read
}

// Add takes an answer.
func (r *Reads) Add(x Read) {
	if r.by == nil {
		r.by = map[int][]Read{}
	}
	list := append(r.by[x.Server], x)
	if len(list) > keptReads {
		list = append(list[:0], list[1:]...)
	}
	r.by[x.Server] = list
}

// Of returns the newest answers of a server.
func (r *Reads) Of(server int) []Read { return r.by[server] }
