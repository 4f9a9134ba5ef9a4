package clock_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func fired(t clock.Timer) bool {
	select {
	case <-t.C():
		return true
	default:
		return false
	}
}

// TestAdjustable makes all kinds of adjustments to one clock. after is its time since noon.
func TestAdjustable(t *testing.T) {
	base := clock.NewManual(noon)
	a := clock.NewAdjustable(base)
	timer := a.NewTimer(100 * time.Second)
	for _, step := range []struct {
		what  string
		do    func()
		after time.Duration
		fires bool
	}{
		{"it runs", func() { base.Advance(10 * time.Second) }, 10 * time.Second, false},
		{"it is moved", func() { a.Advance(20 * time.Second) }, 30 * time.Second, false},
		{"it stands", func() { a.Pause(true); base.Advance(time.Hour) }, 30 * time.Second, false},
		{"it stands twice", func() { a.Pause(true); base.Advance(time.Hour) }, 30 * time.Second, false},
		{"it is moved while it stands", func() { a.Advance(20 * time.Second) }, 50 * time.Second, false},
		{"it goes on", func() { a.Pause(false); base.Advance(49 * time.Second) }, 99 * time.Second, false},
		{"the timer is due", func() { base.Advance(time.Second) }, 100 * time.Second, true},
		{"it is moved on", func() { a.Advance(time.Hour) }, 100*time.Second + time.Hour, false},
		{"it is there already", func() { a.NotBefore(noon) }, 100*time.Second + time.Hour, false},
		{"it is not", func() { a.NotBefore(noon.Add(2 * time.Hour)) }, 2 * time.Hour, false},
		{"the timer is set anew while it stands", func() { a.Pause(true); timer.Reset(time.Minute) }, 2 * time.Hour, false},
		{"and moving fires it", func() { a.Advance(time.Minute) }, 2*time.Hour + time.Minute, true},
		{"once", func() { a.Pause(false); a.Advance(time.Minute) }, 2*time.Hour + 2*time.Minute, false},
		{"it is faster", func() { a.Speed(10); base.Advance(time.Second) }, 2*time.Hour + 130*time.Second, false},
		{"its timer, too", func() { timer.Reset(11 * time.Second); base.Advance(time.Second) },
			2*time.Hour + 140*time.Second, false},
		{"which is due before its host's", func() { base.Advance(100 * time.Millisecond) },
			2*time.Hour + 141*time.Second, true},
		{"it is moved while it is faster", func() { timer.Reset(70 * time.Second); a.Advance(time.Minute) },
			2*time.Hour + 201*time.Second, false},
		{"and its timer with it", func() { base.Advance(time.Second) }, 2*time.Hour + 211*time.Second, true},
		{"it is faster still", func() { timer.Reset(100 * time.Second); base.Advance(time.Second); a.Speed(60) },
			2*time.Hour + 221*time.Second, false},
		{"it stands all the same", func() { a.Pause(true); base.Advance(time.Hour) }, 2*time.Hour + 221*time.Second, false},
		{"its speed is set while it stands", func() { a.Speed(30); base.Advance(time.Hour) },
			2*time.Hour + 221*time.Second, false},
		{"and holds when it runs again", func() { a.Pause(false); base.Advance(2 * time.Second) },
			2*time.Hour + 281*time.Second, false},
		{"it is as fast as its host's", func() { a.Speed(1); base.Advance(29 * time.Second) },
			2*time.Hour + 310*time.Second, false},
		{"and so is its timer", func() { base.Advance(time.Second) }, 2*time.Hour + 311*time.Second, true},
		{"it is set", func() { a.Speed(2); base.Advance(time.Second); a.Set(noon); base.Advance(time.Second) },
			2 * time.Second, false},
	} {
		step.do()
		if got := a.Now().Sub(noon); got != step.after {
			t.Fatalf("%s: the clock is at %v, want %v", step.what, got, step.after)
		}
		if done := fired(timer); done != step.fires {
			t.Fatalf("%s: fired is %v", step.what, done)
		}
	}
	if timer.Stop() {
		t.Error("a timer that has fired was stopped")
	}
}

func TestAdjustableTimerStops(t *testing.T) {
	base := clock.NewManual(noon)
	a := clock.NewAdjustable(base)
	for _, paused := range []bool{false, true} {
		a.Pause(paused)
		timer := a.NewTimer(time.Second)
		if !timer.Stop() {
			t.Errorf("paused %v: a waiting timer was not stopped", paused)
		}
		a.Advance(time.Minute)
		a.Pause(false)
		base.Advance(time.Minute)
		if fired(timer) {
			t.Errorf("paused %v: a stopped timer fired", paused)
		}
		if now := a.NewTimer(0); !fired(now) {
			t.Errorf("paused %v: a timer without a wait did not fire", paused)
		}
	}
	if got, want := a.Offset(), 2*time.Minute; got != want {
		t.Errorf("the offset is %v, want %v", got, want)
	}
}

// TestOddSpeed wants a timer never to fire before its time, though that is no whole number of the other clock's.
func TestOddSpeed(t *testing.T) {
	base := clock.NewManual(noon)
	a := clock.NewAdjustable(base)
	a.Speed(3)
	timer := a.NewTimer(10)
	defer timer.Stop()
	for base.Advance(3); !fired(timer); base.Advance(1) {
		if a.Now().Sub(noon) >= 10 {
			t.Fatalf("at %v it has not fired", a.Now())
		}
	}
	if passed := a.Now().Sub(noon); passed != 12 || a.Offset() != 8 {
		t.Errorf("it fired after %v; the offset is %v", passed, a.Offset())
	}
	if s := a.State(); s.Offset != 0 || s.Rate != 3 || !s.Since.Equal(noon) {
		t.Errorf("%+v", s)
	}
}

// TestStoppedTimersLeaveNothing stops many timers while another one waits: the memory of the set that they were in is
// given back.
func TestStoppedTimersLeaveNothing(t *testing.T) {
	const many, most = 20_000, 64 << 10
	c := clock.NewAdjustable(clock.Real())
	defer c.NewTimer(time.Hour).Stop()
	all := make([]clock.Timer, many)
	before := apitest.InUse()
	for i := range all {
		all[i] = c.NewTimer(time.Hour)
	}
	for i, timer := range all {
		timer.Stop()
		all[i] = nil
	}
	if left := apitest.InUse() - before; left > most {
		t.Errorf("%d stopped timers leave %d bytes", many, left)
	}
	runtime.KeepAlive(all)
}
