package persist

import (
	"fmt"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

// Clock is what a cluster's clock shows in a snapshot; how fast it is, the settings say.
type Clock struct {
	// OffsetNanoseconds is its offset from the host's clock.
	OffsetNanoseconds int64 `json:"offsetNanoseconds"`
	// PausedAt is its time, in RFC 3339, if it was paused.
	PausedAt string `json:"stands,omitempty"`
}

// SaveClock returns the state of a clock.
func SaveClock(c *clock.Adjustable) *Clock {
	s := &Clock{OffsetNanoseconds: int64(c.Offset())}
	if now := c.State(); now.Paused {
		s.PausedAt = now.At.UTC().Format(time.RFC3339Nano)
	}
	return s
}

// Restore sets a clock that has not been read yet to the saved state: its offset from the host's
// clock, or the time at which it was paused. Without a saved state the clock stays as it is. The
// error says that the saved time is out of range.
func (s *Clock) Restore(c *clock.Adjustable) error {
	if s == nil {
		return nil
	}
	t := c.Now().Add(time.Duration(s.OffsetNanoseconds) - c.Offset())
	if s.PausedAt != "" {
		var err error
		if t, err = time.Parse(time.RFC3339Nano, s.PausedAt); err != nil {
			return fmt.Errorf("the clock: %w", err)
		}
	}
	if !clock.Lasts(t) {
		return fmt.Errorf("the clock: the year %d is too far away", t.Year())
	}
	c.Set(t)
	return nil
}
