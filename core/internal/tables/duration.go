package tables

import (
	"strconv"
	"time"
)

// duration formats a time span as kubectl does: with two units where the larger one alone would be
// too coarse. Clocks that differ by less than two seconds count as the same.
func duration(d time.Duration) string {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	switch {
	case d <= -2*time.Second:
		return "<invalid>"
	case d < 0:
		return "0s"
	case d < 2*time.Minute:
		return units(d, time.Second, "s")
	case d < 10*time.Minute:
		return units(d, time.Minute, "m") + rest(d, time.Minute, time.Second, "s")
	case d < 3*time.Hour:
		return units(d, time.Minute, "m")
	case d < 8*time.Hour:
		return units(d, time.Hour, "h") + rest(d, time.Hour, time.Minute, "m")
	case d < 2*day:
		return units(d, time.Hour, "h")
	case d < 8*day:
		return units(d, day, "d") + rest(d, day, time.Hour, "h")
	case d < 2*year:
		return units(d, day, "d")
	case d < 8*year:
		return units(d, year, "y") + rest(d, year, day, "d")
	}
	return units(d, year, "y")
}

// units returns d in whole units.
func units(d, unit time.Duration, name string) string {
	return strconv.FormatInt(int64(d/unit), 10) + name
}

// rest returns the remainder of d after whole large units, in small ones, empty for none.
func rest(d, large, small time.Duration, name string) string {
	if d %= large; d < small {
		return ""
	}
	return units(d, small, name)
}
