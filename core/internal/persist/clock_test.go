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
