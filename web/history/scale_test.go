package history

import (
	"math"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/web/tap"
)

func TestScale(t *testing.T) {
	entry := func(url string, from, head, to int) *tap.Exchange {
		e := &tap.Exchange{Info: tap.Classify("GET", url), Started: at(from), Phase: tap.Done}
		if head >= 0 {
			e.Answered = at(head)
		}
		if to >= 0 {
			e.Ended = at(to)
		} else {
			e.Phase = tap.Streaming
		}
		return e
	}
	// Two that overlap, a minute of nothing, one alone, and a watch that stays open.
	a, b := entry("/api/v1/pods", 0, 4, 10), entry("/api/v1/pods", 5, 15, 20)
	c, w := entry("/api/v1/pods", 60_000, 60_010, 60_020), entry("/api/v1/pods?watch=1", 60_020, 60_030, -1)
	now := at(100_000)
	s := NewScale([]*tap.Exchange{w, c, b, a}, now)
	// 20 ms, a gap of at most 50 ms / 2 clusters = 25 ms, 30 ms: an axis of 75 ms.
	for name, bar := range map[string]struct {
		e    *tap.Exchange
		want Bar
	}{
		"a": {a, Bar{0, 4. / 75, 10. / 75, false}},
		"b": {b, Bar{5. / 75, 15. / 75, 20. / 75, false}},
		"c": {c, Bar{45. / 75, 55. / 75, 65. / 75, false}},
		"w": {w, Bar{65. / 75, 1, 1, true}},
	} {
		got := s.Bar(bar.e, now)
		if math.Abs(got.From-bar.want.From)+math.Abs(got.Head-bar.want.Head)+math.Abs(got.To-bar.want.To) > 1e-9 ||
			got.Open != bar.want.Open {
			t.Errorf("%s: %+v, want %+v", name, got, bar.want)
		}
	}
	if got := (Scale{}).Bar(a, now); got.To != 0 {
		t.Errorf("no axis: %+v", got)
	}
	if got := NewScale([]*tap.Exchange{entry("/api", 5, -1, 5)}, now).Bar(entry("/api", 5, -1, 5), now); got.From != 0 ||
		got.To != 0 {
		t.Errorf("no length: %+v", got)
	}
	// A clock that was set back.
	back := entry("/api", 10, -1, 5)
	if got := NewScale([]*tap.Exchange{back}, now).Bar(back, now); got.To < got.From {
		t.Errorf("back in time: %+v", got)
	}
	if d := back.Duration(time.Time{}); d != 0 {
		t.Errorf("it took %s", d)
	}
}
