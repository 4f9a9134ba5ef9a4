package history

import (
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/web/tap"
)

// A Scale is one axis of time for the bars of several requests. Time in which
// none of them was under way is shortened, so that what took a millisecond can
// be seen beside what happened minutes before. A watch counts only until its
// answer begins: an open one would fill the axis.
type Scale struct {
	busy []interval
	at   []float64 // where each of busy begins, in seconds along the axis
	gap  float64   // the longest that time without requests may be, in seconds
	long float64   // the length of the axis
}

type interval struct{ from, to time.Time }

// NewScale returns the axis for these requests, of which some may not be over yet.
func NewScale(entries []*tap.Exchange, now time.Time) Scale {
	var s Scale
	if len(entries) == 0 {
		return s
	}
	all := make([]interval, 0, len(entries))
	for _, e := range entries {
		all = append(all, interval{e.Started, until(e, now)})
	}
	slices.SortFunc(all, func(a, b interval) int { return a.from.Compare(b.from) })
	for _, i := range all {
		if n := len(s.busy); n > 0 && !i.from.After(s.busy[n-1].to) {
			if i.to.After(s.busy[n-1].to) {
				s.busy[n-1].to = i.to
			}
			continue
		}
		s.busy = append(s.busy, i)
	}
	used := 0.0
	for _, b := range s.busy {
		used += b.to.Sub(b.from).Seconds()
	}
	// All gaps together take at most as much as the requests.
	s.gap = max(used, 1e-6) / float64(len(s.busy))
	for i, b := range s.busy {
		if i > 0 {
			s.long += min(s.gap, b.from.Sub(s.busy[i-1].to).Seconds())
		}
		s.at = append(s.at, s.long)
		s.long += b.to.Sub(b.from).Seconds()
	}
	return s
}

// until returns how far a request reaches on the axis.
func until(e *tap.Exchange, now time.Time) time.Time {
	end := now
	switch {
	case e.Info.Verb == "watch" && !e.Answered.IsZero():
		end = e.Answered
	case !e.Ended.IsZero():
		end = e.Ended
	}
	if end.Before(e.Started) {
		return e.Started
	}
	return end
}

// place returns where a moment is on the axis, from 0 to 1.
func (s Scale) place(t time.Time) float64 {
	if s.long <= 0 {
		return 0
	}
	for i, b := range s.busy {
		if t.After(b.to) {
			continue
		}
		if t.Before(b.from) {
			return s.at[i] / s.long // in the gap before
		}
		return (s.at[i] + t.Sub(b.from).Seconds()) / s.long
	}
	return 1
}

// A Bar is a request on a Scale, in parts of its length: the request was made at
// From, its answer began at Head, and it was whole at To. Open says that it is
// still to come.
type Bar struct {
	From, Head, To float64
	Open           bool
}

// Bar returns the bar of one of the scale's requests.
func (s Scale) Bar(e *tap.Exchange, now time.Time) Bar {
	b := Bar{From: s.place(e.Started), To: s.place(until(e, now)), Open: e.Live()}
	b.Head = b.To
	if !e.Answered.IsZero() {
		b.Head = max(b.From, min(b.To, s.place(e.Answered)))
	}
	return b
}
