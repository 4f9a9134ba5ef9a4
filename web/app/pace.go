package app

import "time"

// A Pace does something at once, and while it is asked for all the time at most
// once in Every: what a burst changes is seen as soon, and costs less. Do must be
// called from one goroutine at a time, as handlers are.
type Pace struct {
	Every time.Duration

	last time.Time
	due  bool
}

// Do calls f now or, if it was called shortly before, in a while.
func (p *Pace) Do(f func()) {
	if p.due {
		return
	}
	wait := p.Every - time.Since(p.last)
	if wait <= 0 {
		p.last = time.Now()
		f()
		return
	}
	p.due = true
	time.AfterFunc(wait, func() {
		p.due, p.last = false, time.Now()
		f()
	})
}
