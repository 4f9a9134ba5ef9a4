package shape_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/kinds/shape"
)

// listOf returns an object with a list.
func listOf(items []any) map[string]any { return map[string]any{"items": items} }

// TestDiffMatches compares diffs with those of a matcher that does no more than what is said of the real one.
func TestDiffMatches(t *testing.T) {
	items := shape.Of("Items")
	r := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		n, words := 1+r.IntN(260), 1+r.IntN(90)
		var was, now []any
		for range n {
			was = append(was, r.IntN(words))
			if r.IntN(8) > 0 {
				now = append(now, was[len(was)-1])
			}
			if r.IntN(8) == 0 {
				now = append(now, r.IntN(words))
			}
		}
		got, want := items.Diff(listOf(was), listOf(now)), plainDiff(indented(was), indented(now))
		if got != want {
			t.Fatalf("%v\n%v: got\n%swant\n%s", was, now, got, want)
		}
	}
}

// indented returns the lines of an object with a list.
func indented(list []any) []string {
	if len(list) == 0 {
		return []string{"{", ` "Items": null`, "}"}
	}
	lines := []string{"{", ` "Items": [`}
	for i, item := range list {
		comma := ","
		if i == len(list)-1 {
			comma = ""
		}
		lines = append(lines, fmt.Sprint("  ", item, comma))
	}
	return append(lines, " ]", "}")
}

// plainDiff returns the diff of two texts.
func plainDiff(a, b []string) string {
	at := map[string][]int{}
	for j, line := range b {
		at[line] = append(at[line], j)
	}
	for line, places := range at {
		if len(b) >= 200 && len(places) > len(b)/100+1 {
			delete(at, line)
		}
	}
	type line struct {
		text string // with its mark
		i, j int
	}
	var all []line
	var match func(ai, aj, bi, bj int)
	match = func(ai, aj, bi, bj int) {
		from, to, size := ai, bi, 0
		sizes := map[int]int{}
		for i := ai; i < aj; i++ {
			next := map[int]int{}
			for _, j := range at[a[i]] {
				if j >= bi && j < bj {
					if next[j+1] = sizes[j] + 1; next[j+1] > size {
						from, to, size = i-sizes[j], j-sizes[j], next[j+1]
					}
				}
			}
			sizes = next
		}
		for from > ai && to > bi && a[from-1] == b[to-1] {
			from, to, size = from-1, to-1, size+1
		}
		for from+size < aj && to+size < bj && a[from+size] == b[to+size] {
			size++
		}
		if size == 0 {
			for i := ai; i < aj; i++ {
				all = append(all, line{"-" + a[i], i, bi})
			}
			for j := bi; j < bj; j++ {
				all = append(all, line{"+" + b[j], aj, j})
			}
			return
		}
		match(ai, from, bi, to)
		for n := range size {
			all = append(all, line{" " + a[from+n], from + n, to + n})
		}
		match(from+size, aj, to+size, bj)
	}
	match(0, len(a), 0, len(b))
	var out strings.Builder
	counted := func(start, n int) string {
		switch n {
		case 0:
			return fmt.Sprint(start, ",0")
		case 1:
			return fmt.Sprint(start + 1)
		}
		return fmt.Sprint(start+1, ",", n)
	}
	for from := 0; from < len(all); from++ {
		if all[from].text[0] == ' ' {
			continue
		}
		last := from
		for k := from; k < min(len(all), last+8); k++ {
			if all[k].text[0] != ' ' {
				last = k
			}
		}
		hunk := all[max(0, from-3):min(len(all), last+4)]
		was, now, text := 0, 0, ""
		for _, l := range hunk {
			if l.text[0] != '+' {
				was++
			}
			if l.text[0] != '-' {
				now++
			}
			text += l.text + "\n"
		}
		out.WriteString("@@ -" + counted(hunk[0].i, was) + " +" + counted(hunk[0].j, now) + " @@\n" + text)
		from = last
	}
	return out.String()
}

// TestDiffOfLongTexts checks what is printed of two texts that are too long to be matched, or take too much work: the
// lines from where they begin to differ.
func TestDiffOfLongTexts(t *testing.T) {
	list := func(n int, item func(i int) any) map[string]any {
		all := make([]any, n)
		for i := range all {
			all[i] = item(i)
		}
		return listOf(all)
	}
	number := func(i int) any { return i }
	// Every other item has changed, so that the longest block is always one line.
	other := func(i int) any { return i + i%2*1_000_000 }
	for _, c := range []struct {
		name     string
		was, now map[string]any
		first    string
		lines    int
	}{
		{"long", list(300_000, number), list(300_000, func(i int) any { return max(i, 5) }),
			"@@ -1,102 +1,102 @@\n {\n  \"Items\": [\n-  0,\n", 1 + 2 + 2*100 + 1},
		{"work", list(9_000, number), list(9_000, other),
			"@@ -1,103 +1,103 @@\n {\n  \"Items\": [\n   0,\n-  1,\n", 1 + 3 + 2*100 + 1},
		{"longer", list(9_000, number), list(20_000, number), "@@ -8999,6 +8999,103 @@\n   8996,\n", 1 + 3 + 3 + 100 + 1},
		{"shorter", list(11_000, number), list(1, number), "@@ -1,102 +1,5 @@\n", 1 + 2 + 100 + 3 + 1},
	} {
		items := shape.Of("Items")
		text := items.Diff(c.was, c.now)
		if got := strings.Count(text, "\n"); !strings.HasPrefix(text, c.first) || got != c.lines {
			t.Errorf("%s: %d lines, want %d that begin with\n%sgot\n%.400s", c.name, got, c.lines, c.first, text)
		}
	}
}

// BenchmarkDiff matches texts that take as much work as is allowed, and some more.
func BenchmarkDiff(b *testing.B) {
	for _, n := range []int{1_000, 9_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			was, now := make([]any, n), make([]any, n)
			for i := range was {
				was[i], now[i] = i, i+i%2*1_000_000
			}
			items := shape.Of("Items")
			for b.Loop() {
				items.Diff(listOf(was), listOf(now))
			}
		})
	}
}
