package lesson

import "github.com/tabernetes/tabernetes/web/tap"

const (
	// maxExchanges and maxBytes bound what a Log keeps. They are well above what
	// a lesson makes; past them the oldest finished exchanges are forgotten.
	maxExchanges = 4000
	maxBytes     = 48 << 20
)

// A Log puts tap events together into exchanges, in the order in which the requests were made. It numbers all events; a
// moment is such a number, so moments of all exchanges can be compared.
type Log struct {
	// Rows are those that look at requests: what fits none of them is not kept.
	// nil keeps all.
	Rows []*Row

	now       int
	byID      map[int]*Exchange
	exchanges []*Exchange
	// byRow are the exchanges whose method and path are a row's.
	byRow map[*Row][]*Exchange
	bytes int
}

// Now returns the present moment.
func (l *Log) Now() int { return l.now }

// Add takes one tap event and reports whether it belongs to an exchange that is
// kept.
func (l *Log) Add(ev tap.Event) bool {
	l.now++
	if ev.Type == tap.Request {
		x := newExchange(ev.Method, ev.URL, ev.Header, ev.Body, l.now)
		x.ID, x.Origin, x.madeAt = ev.ID, ev.Origin, ev.Time
		if !l.sort(x) && l.Rows != nil {
			return false
		}
		if l.byID == nil {
			l.byID = map[int]*Exchange{}
		}
		l.byID[ev.ID] = x
		l.exchanges = append(l.exchanges, x)
		l.bytes += x.size()
		l.shrink()
		return true
	}
	x := l.byID[ev.ID]
	if x == nil || x.ended > 0 {
		return false
	}
	switch ev.Type {
	case tap.Head:
		x.head(ev.Status, ev.Header, l.now)
		x.answeredAt = ev.Time
	case tap.Chunk:
		l.now = x.chunk(ev.Text, l.now)
		l.bytes += len(ev.Text)
	case tap.End:
		if ev.Text != "" {
			l.now = x.chunk(ev.Text, l.now)
			l.bytes += len(ev.Text)
		}
		x.end(false, l.now)
	case tap.Fail:
		x.end(true, l.now)
	default:
		return false
	}
	return true
}

// sort puts an exchange with the rows that it fits, and reports whether there
// are any.
func (l *Log) sort(x *Exchange) bool {
	fits := false
	for _, r := range l.Rows {
		if !r.fitsRequest(x) {
			continue
		}
		if l.byRow == nil {
			l.byRow = map[*Row][]*Exchange{}
		}
		l.byRow[r] = append(l.byRow[r], x)
		fits = true
	}
	return fits
}

// forget drops all exchanges; time continues.
func (l *Log) forget() {
	l.byID, l.exchanges, l.byRow, l.bytes = nil, nil, nil, 0
}

// knows reports whether the exchange with that id is kept and still going on.
func (l *Log) knows(id int) bool {
	x := l.byID[id]
	return x != nil && x.ended == 0
}

// shrink forgets the oldest finished exchanges while there are too many.
func (l *Log) shrink() {
	if len(l.exchanges) <= maxExchanges && l.bytes <= maxBytes {
		return
	}
	kept := l.exchanges[:0]
	over, overBytes := len(l.exchanges)-maxExchanges*3/4, l.bytes-maxBytes*3/4
	for _, x := range l.exchanges {
		if (over > 0 || overBytes > 0) && x.ended > 0 {
			n := x.size()
			over, overBytes, l.bytes = over-1, overBytes-n, l.bytes-n
			delete(l.byID, x.ID)
			continue
		}
		kept = append(kept, x)
	}
	clear(l.exchanges[len(kept):])
	l.exchanges = kept
	clear(l.byRow)
	for _, x := range kept {
		l.sort(x)
	}
}
