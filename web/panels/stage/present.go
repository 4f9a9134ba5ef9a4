package stage

import (
	"cmp"
	"slices"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
)

// Newest returns at most n lanes, in their order: that of the request chosen, and those that changed last.
func Newest(lanes []*timeline.Lane, n, chosen int) []*timeline.Lane {
	if len(lanes) <= n {
		return lanes
	}
	changed := func(l *timeline.Lane) int64 {
		at := max(l.Began.UnixMilli(), l.Ended.UnixMilli())
		if i := l.Marks.Len(); i > 0 {
			at = max(at, l.Marks.At(i-1).At)
		}
		return at
	}
	picked := slices.Clone(lanes)
	slices.SortStableFunc(picked, func(a, b *timeline.Lane) int {
		switch {
		case a.Req == chosen:
			return -1
		case b.Req == chosen:
			return 1
		}
		return cmp.Or(cmp.Compare(changed(b), changed(a)), cmp.Compare(b.Num, a.Num))
	})
	picked = picked[:n]
	slices.SortFunc(picked, func(a, b *timeline.Lane) int { return cmp.Compare(a.Num, b.Num) })
	return picked
}
