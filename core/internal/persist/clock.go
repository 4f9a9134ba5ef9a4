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
	// Rate is how fast it is, and Since, in RFC 3339, the host's time from when on, which the offset is of. Only a copy
	// of a clock that runs has them: what was saved does not run on meanwhile.
	Rate  int64  `json:"rate,omitempty"`
	Since string `json:"since,omitempty"`
}

// CopyClock returns what a clock shows until it is adjusted.
func CopyClock(c *clock.Adjustable) *Clock {
	now := c.State()
	s := &Clock{OffsetNanoseconds: int64(now.Offset), Rate: now.Rate}
	if now.Paused {
		s.PausedAt = now.At.UTC().Format(time.RFC3339Nano)
	} else if now.Rate != 1 {
		s.Since = now.Since.UTC().Format(time.RFC3339Nano)
	}
	return s
}

// SaveClock returns the state of a clock: its offset is the one by now.
func SaveClock(c *clock.Adjustable) *Clock {
	return &Clock{OffsetNanoseconds: int64(c.Offset()), PausedAt: CopyClock(c).PausedAt}
}

// Restore sets a clock that has not been read yet to the saved state: its offset from the host's
// clock, or the time at which it was paused. With the state of a copy it also runs, or does not, as
// that does. Without a saved state the clock stays as it is. The error says that the saved time is
// out of range.
func (s *Clock) Restore(c *clock.Adjustable) error {
	if s == nil {
		return nil
	}
	host := c.Now().Add(-c.Offset())
	t := host.Add(time.Duration(s.OffsetNanoseconds))
	var err error
	if s.PausedAt != "" {
		t, err = time.Parse(time.RFC3339Nano, s.PausedAt)
	} else if s.Since != "" {
		var since time.Time
		since, err = time.Parse(time.RFC3339Nano, s.Since)
		t = t.Add(host.Sub(since) * time.Duration(s.Rate-1))
	}
	if err != nil {
		return fmt.Errorf("the clock: %w", err)
	}
	if !clock.Lasts(t) {
		return fmt.Errorf("the clock: the year %d is too far away", t.Year())
	}
	if s.Rate > 0 {
		c.Speed(s.Rate)
		c.Pause(s.PausedAt != "")
	}
	c.Set(t)
	return nil
}
