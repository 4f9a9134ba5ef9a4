package text

import "strings"

// An Op says what happened to a line.
type Op byte

// The changes of a line.
const (
	Same Op = iota
	Removed
	Inserted
	Skipped // N lines that did not change are left out
)

// A Change is one line of a difference.
type Change struct {
	Op    Op
	Text  string
	N     int // of Skipped
	Parts []Part
}

// A Part is a piece of a line; those that differ from its other version are marked.
type Part struct {
	Text    string
	Changed bool
}

// Diff compares two texts line by line and keeps context lines around what
// changed. Lines that were replaced carry the words that differ. It costs
// O((n+m)·d) for d changed lines, and gives up on pairing beyond maxEdits.
func Diff(before, after []string, context int) []Change {
	all := script(before, after)
	pair(all)
	return fold(all, context)
}

// maxEdits bounds the search; past it everything between the common head and
// tail counts as replaced.
const maxEdits = 600

// script returns the whole edit script, by Myers' greedy algorithm.
func script(a, b []string) []Change {
	var out []Change
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		out = append(out, Change{Op: Same, Text: a[head]})
		head++
	}
	ea, eb := len(a), len(b)
	for ea > head && eb > head && a[ea-1] == b[eb-1] {
		ea--
		eb--
	}
	out = append(out, middle(a[head:ea], b[head:eb])...)
	for _, s := range a[ea:] {
		out = append(out, Change{Op: Same, Text: s})
	}
	return out
}

func middle(a, b []string) []Change {
	n, m := len(a), len(b)
	var out []Change
	replaceAll := func() []Change {
		for _, s := range a {
			out = append(out, Change{Op: Removed, Text: s})
		}
		for _, s := range b {
			out = append(out, Change{Op: Inserted, Text: s})
		}
		return out
	}
	if n == 0 || m == 0 {
		return replaceAll()
	}
	limit := min(n+m, maxEdits)
	v := make([]int, 2*limit+2)
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), v...))
		for k := -d; k <= d; k += 2 {
			var x int
			if k == -d || k != d && v[limit+k-1] < v[limit+k+1] {
				x = v[limit+k+1]
			} else {
				x = v[limit+k-1] + 1
			}
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x++
				y++
			}
			v[limit+k] = x
			if x >= n && y >= m {
				return backtrack(a, b, trace, limit)
			}
		}
	}
	return replaceAll()
}

func backtrack(a, b []string, trace [][]int, limit int) []Change {
	var rev []Change
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		v := trace[d]
		k := x - y
		var pk int
		if k == -d || k != d && v[limit+k-1] < v[limit+k+1] {
			pk = k + 1
		} else {
			pk = k - 1
		}
		px := 0
		if d > 0 {
			px = v[limit+pk]
		}
		py := px - pk
		if d == 0 {
			px, py = 0, 0
		}
		for x > px && y > py && x > 0 && y > 0 && a[x-1] == b[y-1] {
			x--
			y--
			rev = append(rev, Change{Op: Same, Text: a[x]})
		}
		if d == 0 {
			break
		}
		if x == px {
			y--
			rev = append(rev, Change{Op: Inserted, Text: b[y]})
		} else {
			x--
			rev = append(rev, Change{Op: Removed, Text: a[x]})
		}
	}
	for i, j := 0, len(rev)-1; i < j; i, j = i+1, j-1 {
		rev[i], rev[j] = rev[j], rev[i]
	}
	return rev
}

// pair finds runs of removed lines followed by as many inserted ones, and marks
// the words in which each pair differs.
func pair(all []Change) {
	for i := 0; i < len(all); {
		if all[i].Op != Removed {
			i++
			continue
		}
		r := i
		for i < len(all) && all[i].Op == Removed {
			i++
		}
		ins := i
		for i < len(all) && all[i].Op == Inserted {
			i++
		}
		if ins-r != i-ins {
			continue
		}
		for k := 0; k < ins-r; k++ {
			words(&all[r+k], &all[ins+k])
		}
	}
}

// words marks what lies between the common head and tail of two lines, widened
// to whole words.
func words(a, b *Change) {
	x, y := a.Text, b.Text
	head := 0
	for head < len(x) && head < len(y) && x[head] == y[head] {
		head++
	}
	for head > 0 && wordByte(x[head-1]) {
		head--
	}
	tail := 0
	for tail < len(x)-head && tail < len(y)-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	for tail > 0 && wordByte(x[len(x)-tail]) {
		tail--
	}
	if strings.TrimSpace(x[:head])+strings.TrimSpace(x[len(x)-tail:]) == "" {
		return // nothing in common: the whole line is the change
	}
	a.Parts = parts(x, head, tail)
	b.Parts = parts(y, head, tail)
}

func parts(s string, head, tail int) []Part {
	var out []Part
	for _, p := range [...]Part{{s[:head], false}, {s[head : len(s)-tail], true}, {s[len(s)-tail:], false}} {
		if p.Text != "" {
			out = append(out, p)
		}
	}
	return out
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' ||
		c >= 0x80
}

// fold replaces long runs of unchanged lines.
func fold(all []Change, context int) []Change {
	near := make([]bool, len(all))
	for i, c := range all {
		if c.Op != Same {
			for j := max(0, i-context); j <= min(len(all)-1, i+context); j++ {
				near[j] = true
			}
		}
	}
	var out []Change
	for i := 0; i < len(all); {
		if near[i] {
			out = append(out, all[i])
			i++
			continue
		}
		from := i
		for i < len(all) && !near[i] {
			i++
		}
		if i-from == 1 {
			out = append(out, all[from])
		} else {
			out = append(out, Change{Op: Skipped, N: i - from})
		}
	}
	return out
}

// Strings returns the lines as plain text, for Diff.
func Strings(lines []Line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.String()
	}
	return out
}
