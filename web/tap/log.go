package tap

import (
	"slices"
	"strconv"
	"sync"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	// maxEntries and MaxBytes bound what a Log keeps, of all clusters together. The oldest finished exchanges lose
	// their bodies first, then go; those that something needs (Hold) come last.
	maxEntries = 2000
	MaxBytes   = 32 << 20
	// maxStream bounds what one watch that nobody holds keeps: of an endless one the newest.
	maxStream = 4 << 20
	// smallBody is the size of a request's body that stays as long as its exchange, in
	// bytes: it can then be copied, and sent again.
	smallBody = 4 << 10
)

// A Log makes exchanges of the tap's events, in the order in which the requests were made, and keeps them. It numbers
// what happens: a moment is such a number, so moments of all exchanges can be compared. The zero value is ready.
//
// Add and Wrote take the lock. Who reads exchanges on another goroutine than theirs takes it too.
type Log struct {
	sync.Mutex
	now       int
	all       []*Exchange
	byID      map[int]*Exchange
	bytes     int
	listeners []listener
	// early has the revisions of requests that the tap has not reported yet: it reports once a frame.
	early map[int]*Source
	// enough is the size past which bodies are forgotten next; 0: MaxBytes. A search for bodies to forget frees more
	// than it has to, and the next one is put off if it could not.
	enough int
}

type listener struct{ changed, gone func(*Exchange) }

// Follow calls changed with each exchange, and again when it has changed, and gone with each that is dropped.
func (l *Log) Follow(changed, gone func(*Exchange)) {
	l.listeners = append(l.listeners, listener{changed, gone})
	for _, x := range l.all {
		changed(x)
	}
}

// Note says that an exchange is new or has changed.
func (l *Log) Note(x *Exchange) {
	x.Changed++
	for _, f := range l.listeners {
		f.changed(x)
	}
}

// gone takes an exchange that is no longer in the list.
func (l *Log) gone(x *Exchange) {
	l.bytes -= x.cost()
	x.Gone = true
	delete(l.byID, x.ID)
	for _, f := range l.listeners {
		f.gone(x)
	}
}

// Now returns the present moment.
func (l *Log) Now() int { return l.now }

// Add takes a tap event and returns the exchange that it changed, nil if none.
func (l *Log) Add(ev Event) *Exchange {
	l.Lock()
	defer l.Unlock()
	l.now++
	if ev.Type == Request {
		x := &Exchange{
			ID: ev.ID, Method: ev.Method, URL: ev.URL, Header: ev.Header, Body: ev.Body, Origin: ev.Origin, Place: ev.Place,
			Started: ev.Time, Info: Classify(ev.Method, ev.URL), Source: Source{Server: -1}, Kept: ev.Past,
		}
		x.When.Made = l.now
		if s := l.early[ev.ID]; s != nil {
			x.Source = *s
			delete(l.early, ev.ID)
		}
		if len(x.Body) > MaxBytes {
			x.Body, x.Bodyless = "", true
		}
		l.insert(x)
		l.Note(x)
		l.shrink()
		return x
	}
	x := l.byID[ev.ID]
	if x == nil || !x.Live() {
		return nil
	}
	switch ev.Type {
	case Head:
		made := x.Source
		if x.Source = sourceOf(ev); x.Source.Rule == "" {
			x.Source.Wrote, x.Source.More = made.Wrote, made.More
		}
		x.Phase, x.Status, x.ResHeader, x.Answered, x.When.Answered = Streaming, ev.Status, ev.Header, ev.Time, l.now
		x.Binary = IsBinary(x.Get("Content-Type"))
	case Chunk:
		l.text(x, ev.Text)
	case End, Fail:
		l.text(x, ev.Text)
		x.Ended, x.Err = ev.Time, ev.Err
		switch {
		case ev.Type == End:
			if x.Streams() && len(x.pieces) > 0 { // its last line has no end
				before := x.cost()
				l.now = x.line("", l.now)
				l.bytes += x.cost() - before
			}
			x.Phase = Done
		case ev.Aborted:
			x.Phase = Aborted
		default:
			x.Phase = Failed
		}
		x.When.Ended = l.now
		if e := x.LastError(); e != nil {
			x.ErrorCode = e.Code
		}
	}
	l.Note(x)
	return x
}

// sourceOf returns the source in the header of an answer.
func sourceOf(ev Event) Source {
	if ev.Source != nil {
		return *ev.Source
	}
	s := Source{Server: -1}
	if n, err := strconv.Atoi(Get(ev.Header, wellknown.ReplicaHeader)); err == nil && n >= 0 {
		s.Server = n
	}
	return s
}

// Wrote notes that a request has made a revision, as the revisions stream says, and returns its exchange. It returns
// nil if the request is not known yet, or if its answer has said which revisions it has made.
func (l *Log) Wrote(id int, revision int64) *Exchange {
	l.Lock()
	defer l.Unlock()
	x := l.byID[id]
	switch {
	case x == nil && (len(l.all) == 0 || id > l.all[len(l.all)-1].ID):
		if l.early == nil || len(l.early) > maxEntries {
			l.early = map[int]*Source{}
		}
		if l.early[id] == nil {
			l.early[id] = &Source{Server: -1}
		}
		l.early[id].Write(revision)
		return nil
	case x == nil || x.Source.Rule != "":
		return nil
	}
	x.Source.Write(revision)
	l.Note(x)
	return x
}

// insert puts an exchange at the list's end.
func (l *Log) insert(x *Exchange) {
	if l.byID == nil {
		l.byID = map[int]*Exchange{}
	}
	l.byID[x.ID] = x
	l.all = append(l.all, x)
	l.bytes += x.cost()
}

// text takes a part of an answer's body.
func (l *Log) text(x *Exchange, s string) {
	if s == "" {
		return
	}
	before := x.cost()
	watch := x.Info.Verb == "watch"
	if l.now = x.take(s, l.now); !watch && x.Size > MaxBytes { // it would be all that is kept
		x.forget()
	}
	if watch && x.held == 0 && x.cost() > maxStream {
		x.halve()
	}
	l.bytes += x.cost() - before
	l.shrink()
}

// shrink forgets the oldest bodies, and the oldest exchanges, past the bounds. It
// costs O(1), except for a search that each megabyte of text pays for.
func (l *Log) shrink() {
	if l.bytes > max(MaxBytes, l.enough) {
		l.free()
		l.enough = l.bytes + MaxBytes/32
	}
	for len(l.all) > maxEntries {
		at := slices.IndexFunc(l.all, func(x *Exchange) bool { return !x.Live() && x.held == 0 })
		if at < 0 {
			at = slices.IndexFunc(l.all, func(x *Exchange) bool { return !x.Live() })
		}
		if at < 0 {
			return
		}
		x := l.all[at]
		l.gone(x)
		x.forget()
		// Few are live or held, so what is before it moves up, not the many behind it.
		copy(l.all[1:at+1], l.all[:at])
		l.all[0] = nil
		l.all = l.all[1:]
	}
}

// free forgets bodies until enough memory is free: first those of the oldest requests, then the older halves of the
// longest streams that continue, then those that are held.
func (l *Log) free() {
	const goal = MaxBytes - MaxBytes/8
	bodies := func(held bool) {
		for i, x := range l.all {
			// The newest one keeps its text: somebody is looking at it.
			if l.bytes <= goal || i == len(l.all)-1 {
				return
			}
			if x.Live() || x.held > 0 != held {
				continue
			}
			before := x.cost()
			if x.kept > 0 {
				x.forget()
			}
			if len(x.Body) > smallBody {
				x.Body, x.Bodyless = "", true
			}
			l.bytes += x.cost() - before
		}
	}
	bodies(false)
	var streams []*Exchange
	for _, x := range l.all {
		if x.Live() && x.Info.Verb == "watch" {
			streams = append(streams, x)
		}
	}
	for l.bytes > goal && len(streams) > 0 {
		x := slices.MaxFunc(streams, func(a, b *Exchange) int { return a.cost() - b.cost() })
		before := x.cost()
		if before < maxStream/64 {
			break // the memory is taken by other text
		}
		x.halve()
		l.bytes += x.cost() - before
	}
	bodies(true)
}

// Size returns about how many bytes the log keeps.
func (l *Log) Size() int { return l.bytes }

// Len returns the number of exchanges.
func (l *Log) Len() int { return len(l.all) }

// In returns the number of exchanges with one cluster.
func (l *Log) In(place string) int {
	n := 0
	for _, x := range l.all {
		if x.Place == place {
			n++
		}
	}
	return n
}

// All returns all exchanges, oldest first. The slice is the Log's own.
func (l *Log) All() []*Exchange { return l.all }

// Get returns the exchange of that tap id, nil if it is not known.
func (l *Log) Get(id int) *Exchange { return l.byID[id] }

// Drop forgets the exchanges of which f reports true, but those that still continue.
func (l *Log) Drop(f func(*Exchange) bool) {
	l.all = slices.DeleteFunc(l.all, func(x *Exchange) bool {
		if x.Live() || !f(x) {
			return false
		}
		l.gone(x)
		return true
	})
}
