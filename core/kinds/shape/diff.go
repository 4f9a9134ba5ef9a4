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
	var steps []step
	steps = matchLines(steps, a, b, 0, len(a), 0, len(b))
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

// matchLines finds the longest block of lines that a[ai:aj] and b[bi:bj] have in common, the first
// one if there are several, and continues on both sides of it.
func matchLines(steps []step, a, b []string, ai, aj, bi, bj int) []step {
	at, to, longest := ai, bi, 0
	for i := ai; i < aj; i++ {
		for j := bi; j < bj; j++ {
			n := 0
			for i+n < aj && j+n < bj && a[i+n] == b[j+n] {
				n++
			}
			if n > longest {
				at, to, longest = i, j, n
			}
		}
	}
	if longest == 0 {
		for i := ai; i < aj; i++ {
			steps = append(steps, step{"-", a[i], i, bi})
		}
		for j := bi; j < bj; j++ {
			steps = append(steps, step{"+", b[j], aj, j})
		}
		return steps
	}
	steps = matchLines(steps, a, b, ai, at, bi, to)
	for n := range longest {
		steps = append(steps, step{" ", a[at+n], at + n, to + n})
	}
	return matchLines(steps, a, b, at+longest, aj, to+longest, bj)
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
