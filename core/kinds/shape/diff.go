package shape

import (
	"fmt"
	"strings"
)

// Texts of more than maxLines lines are not matched, nor are those that take more than maxWork steps: what is
// printed then is where they begin to differ, with as many lines as briefLines of each. README.md says so.
const (
	maxLines   = 10_000
	maxWork    = 1 << 21
	briefLines = 100
	context    = 3 // of each hunk
)

// Diff returns how two objects of a shape differ as the real server does: as a unified diff of the indented JSON
// of its Go structs. It takes time in proportion to their texts; of large ones it is shorter than there.
func (s *Struct) Diff(was, now map[string]any) string {
	before, after := string(s.Print(was)), string(s.Print(now))
	if before == after {
		return ""
	}
	a, b := lines(before), lines(after)
	if len(a) > maxLines || len(b) > maxLines {
		return brief(before, after)
	}
	m := matcher{a: a, b: b, where: placesOf(a, b), runs: make([]run, len(b)+1)}
	if m.match(0, len(a), 0, len(b)); m.work > maxWork {
		return brief(before, after)
	}
	steps := m.steps
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
		writeHunk(&out, steps[max(0, from-context):min(len(steps), last+context+1)])
		from = last + 1
	}
	return out.String()
}

func writeHunk(out *strings.Builder, steps []step) {
	was, now := 0, 0
	var text strings.Builder
	for _, s := range steps {
		if s.mark != "+" {
			was++
		}
		if s.mark != "-" {
			now++
		}
		text.WriteString(s.mark + s.line + "\n")
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n%s", hunkRange(steps[0].i, was), hunkRange(steps[0].j, now), text.String())
}

// brief returns the hunk at which two long texts begin to differ, with some of the lines from there on.
func brief(before, after string) string {
	a, b := liner{text: before}, liner{text: after}
	var steps []step
	for at := 0; ; at++ {
		was, now := a, b
		line, other := a.next(), b.next()
		if line != other {
			a, b = was, now
			break
		}
		steps = append(steps[max(0, len(steps)-context+1):], step{" ", line, at, at})
	}
	at := 0
	if len(steps) > 0 {
		at = steps[len(steps)-1].i + 1
	}
	for n := 0; n < briefLines && a.text != ""; n++ {
		steps = append(steps, step{"-", a.next(), at + n, at})
	}
	for n := 0; n < briefLines && b.text != ""; n++ {
		steps = append(steps, step{"+", b.next(), at, at + n})
	}
	var out strings.Builder
	writeHunk(&out, steps)
	return out.String() + "the rest is not compared: the objects are too large\n"
}

// A liner reads the lines of a JSON text without spaces, as they are if it is indented.
type liner struct {
	text  string
	depth int
}

// next returns the next line; "" at the end.
func (l *liner) next() string {
	if l.text == "" {
		return ""
	}
	indent, end, value := l.depth, 0, 0
	if c := l.text[0]; c == '}' || c == ']' {
		l.depth--
		indent, end = l.depth, 1
	}
	for more := true; more && end < len(l.text); {
		switch l.text[end] {
		case '"':
			for end++; l.text[end] != '"'; end++ {
				if l.text[end] == '\\' {
					end++
				}
			}
			end++
		case ':':
			end++
			value = end
		case ',':
			end++
			more = false
		case '{', '[':
			if end++; l.text[end] == '}' || l.text[end] == ']' {
				end++
				break
			}
			l.depth++
			more = false
		case '}', ']':
			more = false
		default:
			end++
		}
	}
	line := l.text[value:end]
	if value > 0 {
		line = l.text[:value] + " " + line
	}
	l.text = l.text[end:]
	return strings.Repeat(" ", indent) + line
}

// lines returns the lines of an indented JSON text; of a long one not all, but more than maxLines.
func lines(text string) (all []string) {
	for l := (liner{text: text}); l.text != "" && len(all) <= maxLines; {
		all = append(all, l.next())
	}
	return all
}

// A step of a diff is a line that is on one side (mark - or +) or on both, and where.
type step struct {
	mark, line string
	i, j       int
}

// matcher makes the steps from a to b.
type matcher struct {
	a, b  []string
	where [][]int // where b has a line of a, without the lines that are too frequent
	runs  []run   // those that end before a line of b
	turn  int     // counts the lines of a that longest has looked at
	work  int     // how often it has looked at a line of either; the steps are wrong beyond maxWork
	steps []step
}

// A run is a block of lines that both have, of which the last one was looked at in a turn.
type run struct{ turn, size int }

// placesOf returns where b has the lines of a. Of a text of 200 lines or more, lines that are more than about a
// hundredth of it are left out: blocks are not found by them.
func placesOf(a, b []string) [][]int {
	at := map[string][]int{}
	for i, line := range b {
		at[line] = append(at[line], i)
	}
	where := make([][]int, len(a))
	for i, line := range a {
		if places := at[line]; len(b) < 200 || len(places) <= len(b)/100+1 {
			where[i] = places
		}
	}
	return where
}

// longest finds the longest block of lines that a[ai:aj] and b[bi:bj] have in common, the first one if
// there are several.
func (m *matcher) longest(ai, aj, bi, bj int) (at, to, size int) {
	at, to = ai, bi
	m.turn++ // no run goes on from another range
	for i := ai; i < aj && m.work <= maxWork; i++ {
		m.turn++
		places := m.where[i]
		m.work += 1 + len(places)
		// Backwards, for a run that is continued is that of the turn before.
		for k := len(places) - 1; k >= 0 && places[k] >= bi; k-- {
			j := places[k]
			if j >= bj {
				continue
			}
			n := 1
			if before := m.runs[j]; before.turn == m.turn-1 {
				n += before.size
			}
			m.runs[j+1] = run{m.turn, n}
			if n > size || n == size && i-n+1 == at {
				at, to, size = i-n+1, j-n+1, n
			}
		}
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
	if ai < aj && bi < bj && m.work <= maxWork {
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
