package programs

// A change says that from line a on some lines were deleted, and that lines of the other text, from b on, were added.
type change struct{ a, b, deleted, added int }

// compare returns the changes from one text to another, in order: as few lines as can be, each change as far down as it
// can be, and where one side's can be beside the other's, there. That is how GNU diff and Git show them.
//
// Costs: time and memory grow with the square of the number of lines that differ; beyond tooDifferent of them all lines
// between the first and the last difference are one change.
func compare(a, b []string) []change {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA--
		endB--
	}
	deleted, added := make([]bool, len(a)+1), make([]bool, len(b)+1)
	for i := start; i < endA; i++ {
		deleted[i] = true
	}
	for i := start; i < endB; i++ {
		added[i] = true
	}
	for _, m := range matches(a[start:endA], b[start:endB]) {
		deleted[start+m[0]], added[start+m[1]] = false, false
	}
	shift(a, deleted, added)
	shift(b, added, deleted)
	var all []change
	for i, j := 0, 0; i < len(a) || j < len(b); i, j = i+1, j+1 {
		c := change{a: i, b: j}
		for deleted[i] {
			i++
		}
		for added[j] {
			j++
		}
		if c.deleted, c.added = i-c.a, j-c.b; c.deleted+c.added > 0 {
			all = append(all, c)
		}
	}
	return all
}

// tooDifferent is how many lines may differ.
const tooDifferent = 4000

// matches returns pairs of lines that are equal: as many as there can be, in order. It is Myers' algorithm.
func matches(a, b []string) [][2]int {
	n, m := len(a), len(b)
	limit := min(n+m, tooDifferent)
	farthest := make([]int, 2*limit+3) // by diagonal: how far along a the best path with so many changes comes
	zero := limit + 1
	var history [][]int
	for d := 0; d <= limit; d++ {
		history = append(history, append([]int(nil), farthest[zero-d-1:zero+d+2]...))
		for k := -d; k <= d; k += 2 {
			x := farthest[zero+k-1] + 1
			if k == -d || k != d && farthest[zero+k-1] < farthest[zero+k+1] {
				x = farthest[zero+k+1]
			}
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x++
				y++
			}
			farthest[zero+k] = x
			if x >= n && y >= m {
				return backwards(history, n, m)
			}
		}
	}
	return nil
}

// backwards follows the best path from its end.
func backwards(history [][]int, x, y int) (pairs [][2]int) {
	for d := len(history) - 1; d >= 0; d-- {
		before := history[d]
		at := func(k int) int { return before[k+d+1] }
		k := x - y
		from := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			from = k + 1
		}
		startX := at(from)
		startY := startX - from
		if d == 0 {
			startX, startY = 0, 0
		}
		for x > startX && y > startY {
			x--
			y--
			pairs = append(pairs, [2]int{x, y})
		}
		x, y = startX, startY
	}
	return pairs
}

// shift moves runs of changed lines of one text, where that makes no difference: up as long as they meet others, then
// down, and back to where lines of the other text have changed.
func shift(lines []string, changed, other []bool) {
	at := func(list []bool, i int) bool { return i >= 0 && list[i] }
	for i, j := 0, 0; ; {
		for i < len(lines) && !changed[i] {
			for other[j] {
				j++
			}
			i++
			j++
		}
		if i >= len(lines) {
			return
		}
		start := i
		for changed[i] {
			i++
		}
		for other[j] {
			j++
		}
		beside := 0
		for length := -1; length != i-start; {
			length = i - start
			for start > 0 && lines[start-1] == lines[i-1] {
				start--
				i--
				changed[start], changed[i] = true, false
				for at(changed, start-1) {
					start--
				}
				for j--; at(other, j); {
					j--
				}
			}
			beside = len(lines) + 1
			if at(other, j-1) {
				beside = i
			}
			for i < len(lines) && lines[start] == lines[i] {
				changed[start], changed[i] = false, true
				start++
				i++
				for changed[i] {
					i++
				}
				for j++; other[j]; j++ {
					beside = i
				}
			}
		}
		for beside < i {
			start--
			i--
			changed[start], changed[i] = true, false
			for j--; at(other, j); {
				j--
			}
		}
	}
}
