package app

import "time"

// A Throttle calls a function at once, and under continuous calls at most once in Every: what a burst changes is seen
// as soon, and costs less. Do and what a timer calls must not run at the same time: the page has one thread.
type Throttle struct {
	Every time.Duration

	last  time.Time
	due   bool
	after timer
}

// A timer calls a function after a while. Nil: by time.AfterFunc; tests have another one.
type timer func(time.Duration, func())

func (t timer) do(d time.Duration, f func()) {
	if t == nil {
		time.AfterFunc(d, f)
		return
	}
	t(d, f)
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
	p.after.do(wait, func() {
		p.due, p.last = false, time.Now()
		f()
	})
}

// A Later calls a function once, some time after the first call of Do. As with a Throttle, Do and
// what a timer calls must not run at the same time.
type Later struct {
	Wait time.Duration
	Run  func()

	due   bool
	after timer
}

// Do calls Run after Wait, unless a call is due already.
func (l *Later) Do() {
	if l.due {
		return
	}
	l.due = true
	l.after.do(l.Wait, func() {
		l.due = false
		l.Run()
	})
}

// Every calls f again and again, as long as the page is there.
func Every(d time.Duration, f func()) {
	time.AfterFunc(d, func() {
		f()
		Every(d, f)
	})
}
