package shape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// Of objects with more than maxValues values, or whose texts are longer than maxText or take more than maxWork
// comparisons to match, only parts are compared: see narrow. README.md says so.
const (
	maxValues = 5_000
	maxText   = 256 << 10
	maxWork   = 1 << 20
)

// leftOut is the last line of a diff of parts.
const leftOut = "the rest is left out: the objects are too large\n"

// Diff returns how two objects of a shape differ as the real server does: as a unified diff of the indented JSON
// of its Go structs. Of large objects it has the first difference, with little around it.
func (s *Struct) Diff(was, now map[string]any) string {
	if size(was, 0) <= maxValues && size(now, 0) <= maxValues {
		if text, ok := s.diff(was, now); ok {
			return text
		}
	}
	before, after := narrow(was, now)
	text, _ := s.diff(tree.Map(before), tree.Map(after))
	if text == "" && s.Print(was) == s.Print(now) {
		return ""
	}
	return text + leftOut
}

// size adds the number of values in a value to n; beyond maxValues it counts no further.
func size(v any, n int) int {
	n++
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			if n = size(item, n); n > maxValues {
				break
			}
		}
	case []any:
		for _, item := range v {
			if n = size(item, n); n > maxValues {
				break
			}
		}
	}
	return n
}

// narrow returns the parts of two values where they begin to differ: of each list the items from before the first one
// that differs on, a few, and of a map that is no struct as many entries.
func narrow(was, now any) (before, after any) {
	const few, fields = 3, 100
	window := func(n, at int) (from, to int) { return min(n, max(0, at-1)), min(n, at+few) }
	switch a := was.(type) {
	case []any:
		b, _ := now.([]any)
		at := 0
		for at < min(len(a), len(b)) && object.Equal(a[at], b[at]) {
			at++
		}
		from, end := window(len(a), at)
		other, last := window(len(b), at)
		a, b = slices.Clone(a[from:end]), slices.Clone(b[other:last])
		for i := range max(len(a), len(b)) {
			switch {
			case i >= len(a):
				b[i], _ = narrow(b[i], nil)
			case i >= len(b):
				a[i], _ = narrow(a[i], nil)
			default:
				a[i], b[i] = narrow(a[i], b[i])
			}
		}
		return a, b
	case map[string]any:
		b, _ := now.(map[string]any)
		keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
		slices.Sort(keys)
		if keys = slices.Compact(keys); len(keys) > fields {
			from, to := window(len(keys), slices.IndexFunc(keys, func(key string) bool { return !object.Equal(a[key], b[key]) }))
			keys = keys[from:to]
		}
		partOfA, partOfB := map[string]any{}, map[string]any{}
		for _, key := range keys {
			v, isA := a[key]
			w, isB := b[key]
			if v, w = narrow(v, w); isA {
				partOfA[key] = v
			}
			if isB {
				partOfB[key] = w
			}
		}
		return partOfA, partOfB
	}
	if was == nil && now != nil {
		after, _ = narrow(now, nil)
		return nil, after
	}
	return was, now
}

// diff is Diff for objects that are not too large; otherwise it reports false.
func (s *Struct) diff(was, now map[string]any) (text string, ok bool) {
	before, after := string(s.Print(was)), string(s.Print(now))
	if before == after {
		return "", true
	}
	if len(before) > maxText || len(after) > maxText {
		return "", false
	}
	lines := func(text string) []string {
		var b bytes.Buffer
		if json.Indent(&b, []byte(text), "", " ") != nil {
			return nil
		}
		return strings.Split(b.String(), "\n")
	}
	a, b := lines(before), lines(after)
	m := matcher{a: a, b: b, where: placesOf(a, b), runs: make([]run, len(b)+1)}
	if m.match(0, len(a), 0, len(b)); m.work > maxWork {
		return "", false
	}
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
	return out.String(), true
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
	m.turn++ // no run continues from another range
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
