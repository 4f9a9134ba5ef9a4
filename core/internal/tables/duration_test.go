package tables

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-2 * time.Second: "<invalid>", -1999 * time.Millisecond: "0s", -1: "0s", 0: "0s", 999 * time.Millisecond: "0s",
		time.Second: "1s", 119 * time.Second: "119s",
		2 * time.Minute: "2m", 2*time.Minute + time.Second: "2m1s", 9*time.Minute + 59*time.Second: "9m59s",
		10*time.Minute + 30*time.Second: "10m", 3*time.Hour - 1: "179m",
		3 * time.Hour: "3h", 3*time.Hour + 59*time.Second: "3h", 7*time.Hour + 59*time.Minute: "7h59m",
		8*time.Hour + 30*time.Minute: "8h", 2*day - 1: "47h",
		2 * day: "2d", 3*day + 4*time.Hour: "3d4h", 8*day - 1: "7d23h", 8*day + 5*time.Hour: "8d", 2*year - 1: "729d",
		2 * year: "2y", 2*year + day: "2y1d", 8*year - 1: "7y364d", 8*year + 100*day: "8y", 1<<63 - 1: "292y",
	} {
		if got := duration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
