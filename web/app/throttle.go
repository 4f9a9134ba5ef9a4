package app

import "time"

// A Throttle calls a function at once, and under continuous calls at most once in Every: what a burst changes is seen
// as soon, and costs less. Do and what a timer calls must not run at the same time: the page has one thread.
type Throttle struct {
	Every time.Duration

	last time.Time
	due  bool
	// after is time.AfterFunc, unless a test has another.
	after func(time.Duration, func())
}

// Do calls f now or, if it was called shortly before, in a while.
func (p *Throttle) Do(f func()) {
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
	after := p.after
	if after == nil {
		after = func(d time.Duration, f func()) { time.AfterFunc(d, f) }
	}
	after(wait, func() {
		p.due, p.last = false, time.Now()
		f()
	})
}

// A Later does something once, some time after it was first asked for. As of a Pace, what
// a timer calls must not run at the same time as Do.
type Later struct {
	Wait time.Duration
	Run  func()

	due bool
}

// Do has Run called in a while, unless it is going to be.
func (l *Later) Do() {
	if l.due {
		return
	}
	l.due = true
	time.AfterFunc(l.Wait, func() {
		l.due = false
		l.Run()
	})
}
