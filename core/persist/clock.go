package persist

import (
	"fmt"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

// Clock is a cluster's time as a snapshot keeps it.
type Clock struct {
	// OffsetNanoseconds is how far it was from the host's.
	OffsetNanoseconds int64 `json:"offsetNanoseconds"`
	// Stands is the time itself, in RFC 3339, if the clock was paused.
	Stands string `json:"stands,omitempty"`
}

// SaveClock returns the time that a clock shows.
func SaveClock(c *clock.Adjustable) *Clock {
	now, paused := c.Now(), c.Paused()
	s := &Clock{OffsetNanoseconds: int64(c.Offset())}
	if paused {
		s.Stands = now.UTC().Format(time.RFC3339Nano)
	}
	return s
}

// lastYear is the last one that can be written as objects have their times.
const lastYear = 9999

// Restore sets a clock that nobody has asked yet to the saved time: as far from the host's
// as it was, or to where it stood. Without a saved time the clock stays as it is. The error
// says that what is saved is no time that a cluster can have.
func (s *Clock) Restore(c *clock.Adjustable) error {
	if s == nil {
		return nil
	}
	t := c.Now().Add(time.Duration(s.OffsetNanoseconds) - c.Offset())
	if s.Stands != "" {
		var err error
		if t, err = time.Parse(time.RFC3339Nano, s.Stands); err != nil {
			return fmt.Errorf("the clock: %w", err)
		}
	}
	if t.Year() > lastYear {
		return fmt.Errorf("the clock: it is beyond the year %d", lastYear)
	}
	c.Set(t)
	return nil
}
