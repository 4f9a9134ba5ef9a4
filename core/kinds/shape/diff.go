package shape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Diff returns how two objects of a shape differ as the real server does: as a
// unified diff of the indented JSON of its Go structs.
func (s *Struct) Diff(was, now map[string]any) string {
	lines := func(m map[string]any) []string {
		var b bytes.Buffer
		if json.Indent(&b, []byte(s.Print(m)), "", " ") != nil {
			return nil
		}
		return strings.Split(b.String(), "\n")
	}
	a, b := lines(was), lines(now)
	m := matcher{a: a, b: b, at: indexLines(b)}
	m.match(0, len(a), 0, len(b))
	steps := m.steps
	const context = 3
	var out strings.Builder
	for from := 0; from < len(steps); {
		if steps[from].mark == " " {
			from++
			continue
		}
		// A hunk continues until there are no changes for twice the context.
		last := from
		for k := from; k < len(steps) && k <= last+2*context+1; k++ {
			if steps[k].mark != " " {
				last = k
			}
		}
		first, end := max(0, from-context), min(len(steps), last+context+1)
		was, now := 0, 0
		var text strings.Builder
		for _, s := range steps[first:end] {
			if s.mark != "+" {
				was++
			}
			if s.mark != "-" {
				now++
			}
			text.WriteString(s.mark + s.line + "\n")
		}
		at := steps[first]
		fmt.Fprintf(&out, "@@ -%s +%s @@\n%s", hunkRange(at.i, was), hunkRange(at.j, now), text.String())
		from = last + 1
	}
	return out.String()
}

// A step of a diff is a line that is on one side (mark - or +) or on both, and where.
type step struct {
	mark, line string
	i, j       int
}

// matcher makes the steps from a to b.
type matcher struct {
	a, b  []string
	at    map[string][]int // where b has a line, without the lines that are too frequent
	steps []step
}

// indexLines returns where a text has each of its lines. Of a text of 200 lines or more, lines that are
// more than about a hundredth of it are left out: blocks are not found by them.
func indexLines(lines []string) map[string][]int {
	at := map[string][]int{}
	for i, line := range lines {
		at[line] = append(at[line], i)
	}
	if len(lines) >= 200 {
		for line, places := range at {
			if len(places) > len(lines)/100+1 {
				delete(at, line)
			}
		}
	}
	return at
}

// longest finds the longest block of lines that a[ai:aj] and b[bi:bj] have in common, the first one if
// there are several.
func (m *matcher) longest(ai, aj, bi, bj int) (at, to, size int) {
	at, to = ai, bi
	ending := map[int]int{} // the length of the block that ends before a line of b
	for i := ai; i < aj; i++ {
		next := map[int]int{}
		for _, j := range m.at[m.a[i]] {
			if j < bi || j >= bj {
				continue
			}
			n := ending[j] + 1
			next[j+1] = n
			if n > size {
				at, to, size = i-n+1, j-n+1, n
			}
		}
		ending = next
	}
	for at > ai && to > bi && m.a[at-1] == m.b[to-1] {
		at, to, size = at-1, to-1, size+1
	}
	for at+size < aj && to+size < bj && m.a[at+size] == m.b[to+size] {
		size++
	}
	return at, to, size
}

// match makes the steps from a[ai:aj] to b[bi:bj].
func (m *matcher) match(ai, aj, bi, bj int) {
	at, to, size := ai, bi, 0
	if ai < aj && bi < bj {
		at, to, size = m.longest(ai, aj, bi, bj)
	}
	if size == 0 {
		for i := ai; i < aj; i++ {
			m.steps = append(m.steps, step{"-", m.a[i], i, bi})
		}
		for j := bi; j < bj; j++ {
			m.steps = append(m.steps, step{"+", m.b[j], aj, j})
		}
		return
	}
	m.match(ai, at, bi, to)
	for n := range size {
		m.steps = append(m.steps, step{" ", m.a[at+n], at + n, to + n})
	}
	m.match(at+size, aj, to+size, bj)
}

// hunkRange returns the line range in the header of a hunk.
func hunkRange(start, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	}
	return fmt.Sprintf("%d,%d", start+1, n)
}
