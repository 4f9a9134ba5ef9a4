package clock_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

// programs have timers that fire again and again; after four times they fail, or end.
type programs struct {
	due   []time.Time
	every []time.Duration
	fired []string // the timer, and when it fired
	fails error
}

func (p *programs) Show(*clock.Adjustable) {}

func (p *programs) Settle(_ context.Context, a *clock.Adjustable) (time.Time, bool, error) {
	now := a.Now()
	for i := range p.due {
		for !p.due[i].After(now) {
			p.fired = append(p.fired, fmt.Sprintf("%d at %v", i, now.Sub(noon)))
			p.due[i] = now.Add(p.every[i])
		}
	}
	if len(p.due) == 0 || len(p.fired) > 3 {
		return time.Time{}, false, p.fails
	}
	return slices.MinFunc(p.due, time.Time.Compare), true, nil
}

// TestAdvanceWith wants the clock to stop at each timer of a program.
func TestAdvanceWith(t *testing.T) {
	a := clock.NewAdjustable(clock.NewManual(noon))
	a.Pause(true)
	p := &programs{due: []time.Time{noon.Add(3 * time.Second), noon.Add(7 * time.Second)},
		every: []time.Duration{3 * time.Second, 7 * time.Second}}
	if err := a.AdvanceWith(t.Context(), p, 8*time.Second); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.fired, ", "); got != "0 at 3s, 0 at 6s, 1 at 7s" || a.Now() != noon.Add(8*time.Second) {
		t.Errorf("%s; then it is %v", got, a.Now())
	}
	p.fails = errors.New("enough")
	if err := a.AdvanceWith(t.Context(), p, time.Minute); err != p.fails || a.Now() != noon.Add(9*time.Second) {
		t.Errorf("%v at %v", err, a.Now())
	}
}

// TestAdvanceWithNobody wants it to be Advance where there are no programs.
func TestAdvanceWithNobody(t *testing.T) {
	for _, p := range []clock.Programs{nil, &programs{}} {
		a := clock.NewAdjustable(clock.NewManual(noon))
		if err := a.AdvanceWith(t.Context(), p, time.Hour); err != nil || a.Now() != noon.Add(time.Hour) {
			t.Errorf("%v at %v", err, a.Now())
		}
	}
}

// TestAdvanceFar wants a long way not to stop at every timer.
func TestAdvanceFar(t *testing.T) {
	a := clock.NewAdjustable(clock.NewManual(noon))
	p := &programs{due: []time.Time{noon.Add(time.Second)}, every: []time.Duration{time.Second}}
	if err := a.AdvanceWith(t.Context(), p, time.Hour*10/3); err != nil || a.Now() != noon.Add(time.Hour*10/3) {
		t.Fatal(err)
	}
	if got := strings.Join(p.fired, ", "); got != "0 at 10s, 0 at 20s, 0 at 30s, 0 at 40s" {
		t.Error(got)
	}
}

// slow are programs that take a second of the machine's time each time that they settle.
type slow struct {
	*programs
	base *clock.Manual
	pace []int64
}

func (s *slow) Settle(ctx context.Context, a *clock.Adjustable) (time.Time, bool, error) {
	s.base.Advance(time.Second)
	s.pace = append(s.pace, a.State().Rate)
	return s.programs.Settle(ctx, a)
}

// TestAdvanceWhileFast wants a clock that is moved not to run away from the programs meanwhile, and to be as fast as
// before when it has come there.
func TestAdvanceWhileFast(t *testing.T) {
	base := clock.NewManual(noon)
	a := clock.NewAdjustable(base)
	a.Speed(60)
	base.Advance(time.Second)
	p := &slow{&programs{due: []time.Time{noon.Add(10 * time.Minute)}, every: []time.Duration{time.Hour}}, base, nil}
	if err := a.AdvanceWith(t.Context(), p, 9*time.Minute); err != nil {
		t.Fatal(err)
	}
	// They settle when it begins, when their timer is due, and when it has come there.
	want := noon.Add(time.Minute + 9*time.Minute + time.Duration(len(p.pace))*time.Second)
	if fmt.Sprint(p.pace) != "[1 1 1]" || !a.Now().Equal(want) || len(p.fired) != 1 {
		t.Errorf("%v, at %v, fired %v", p.pace, a.Now(), p.fired)
	}
	base.Advance(time.Second)
	if !a.Now().Equal(want.Add(time.Minute)) || a.State().Rate != 60 {
		t.Errorf("then it is %v", a.Now())
	}
}

// TestFollow wants programs to see each adjustment.
func TestFollow(t *testing.T) {
	a := clock.NewAdjustable(clock.NewManual(noon))
	ctx, cancel := context.WithCancel(t.Context())
	seen := make(chan string)
	ended := make(chan struct{})
	go func() {
		a.Follow(ctx, shown(seen))
		close(ended)
	}()
	expect := func(want string) {
		t.Helper()
		if got := <-seen; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	expect("0s false")
	a.Pause(true)
	expect("0s true")
	a.Advance(time.Minute)
	expect("1m0s true")
	a.Pause(true)
	a.Speed(10)
	expect("1m0s true")
	a.Speed(10)
	a.Pause(false)
	expect("1m0s false")
	cancel()
	<-ended
}

// shown says what programs are shown.
type shown chan<- string

func (s shown) Show(a *clock.Adjustable) { s <- fmt.Sprint(a.Now().Sub(noon), " ", a.State().Paused) }

func (shown) Settle(context.Context, *clock.Adjustable) (time.Time, bool, error) {
	return time.Time{}, false, nil
}
