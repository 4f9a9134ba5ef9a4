package memory

import "testing"

func TestLeaves(t *testing.T) {
	since := activity{resident: 64 << 20, allocated: 1 << 30, collections: 7, goroutines: 5000}
	for name, c := range map[string]struct {
		now  activity
		want bool
	}{
		"nothing was done":     {activity{64 << 20, 1 << 30, 7, 5000}, false},
		"little was done":      {activity{64 << 20, 1<<30 + 1<<20, 7, 4990}, false},
		"much was allocated":   {activity{64 << 20, 1<<30 + 5<<20, 7, 5000}, true},
		"watches have ended":   {activity{64 << 20, 1 << 30, 7, 50}, true},
		"watches have begun":   {activity{64 << 20, 1 << 30, 7, 9000}, false},
		"some of many watches": {activity{64 << 20, 1 << 30, 7, 4500}, false},
	} {
		if got := c.now.leaves(since); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
