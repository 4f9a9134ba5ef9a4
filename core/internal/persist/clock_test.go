package persist

import (
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// TestSavedClocks checks that saved clocks are restored, or refused.
func TestSavedClocks(t *testing.T) {
	for _, test := range []struct {
		saved *Clock
		want  time.Duration // from the host's
		fails bool
	}{
		{nil, 0, false},
		{&Clock{}, 0, false},
		{&Clock{OffsetNanoseconds: int64(time.Hour)}, time.Hour, false},
		{&Clock{OffsetNanoseconds: -int64(time.Hour)}, -time.Hour, false},
		{&Clock{OffsetNanoseconds: 7, PausedAt: start.Add(time.Minute).Format(time.RFC3339Nano)}, time.Minute, false},
		{&Clock{PausedAt: "noon"}, 0, true},
		{&Clock{OffsetNanoseconds: int64(time.Hour), Rate: 60, Since: start.Add(-time.Second).Format(time.RFC3339)},
			time.Hour + 59*time.Second, false},
		{&Clock{Rate: 2, Since: "noon"}, 0, true},
		{&Clock{OffsetNanoseconds: 200 * 365 * 24 * int64(time.Hour)}, 200 * 365 * 24 * time.Hour, false},
		{&Clock{OffsetNanoseconds: -1 << 63}, -1 << 63, false},
		{&Clock{OffsetNanoseconds: 1<<63 - 1}, 0, true},
		{&Clock{PausedAt: "2262-01-01T00:00:00Z"}, 0, true},
		{&Clock{PausedAt: "1677-12-31T00:00:00Z"}, 0, true},
	} {
		c := clock.NewAdjustable(clock.NewManual(start))
		err := test.saved.Restore(c)
		if got := c.Offset(); got != test.want || (err != nil) != test.fails {
			t.Errorf("%+v: %v from the host's, %v", test.saved, got, err)
		}
	}
}

// TestCopiedClocks wants the copy of a clock to show what that shows, however late it comes.
func TestCopiedClocks(t *testing.T) {
	host := clock.NewManual(start)
	from, to := clock.NewAdjustable(host), clock.NewAdjustable(host)
	for what, adjust := range []func(){
		func() { from.Advance(time.Minute) }, func() { from.Speed(60) }, func() { from.Pause(true) },
		func() { from.Advance(time.Hour) }, func() { from.Pause(false) }, func() { from.Speed(1) },
	} {
		host.Advance(time.Second)
		adjust()
		copied := CopyClock(from)
		for range 2 {
			host.Advance(time.Second)
			if err := copied.Restore(to); err != nil || !to.Now().Equal(from.Now()) {
				t.Errorf("%d: %v, want %v; %v", what, to.Now(), from.Now(), err)
			}
		}
		if to.State().Paused != from.State().Paused || to.State().Rate != from.State().Rate {
			t.Errorf("%d: %+v, want %+v", what, to.State(), from.State())
		}
	}
}
