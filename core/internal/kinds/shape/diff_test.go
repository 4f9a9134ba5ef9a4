package shape_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
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

// TestDiffOfLargeObjects checks that of objects that are too large to be compared the first difference is printed.
func TestDiffOfLargeObjects(t *testing.T) {
	list := func(n int, item func(i int) any) map[string]any {
		all := make([]any, n)
		for i := range all {
			all[i] = item(i)
		}
		return listOf(all)
	}
	number := func(i int) any { return i }
	long := func(at int) func(i int) any {
		return func(i int) any { return strings.Repeat("x", 1_000) + fmt.Sprint(i == at) }
	}
	line := func(more string) string { return `"` + strings.Repeat("x", 1_000) + more + `"` }
	for _, c := range []struct {
		name     string
		was, now map[string]any
		want     string
	}{
		{"the same", list(300_000, number), list(300_000, number), ""},
		{"values", list(300_000, number), list(300_000, func(i int) any { return max(i, 5) }),
			"@@ -1,7 +1,7 @@\n {\n  \"Items\": [\n-  0,\n-  1,\n-  2\n+  5,\n+  5,\n+  5\n  ]\n }\n"},
		// Every other item has changed, so that the longest block is always one line.
		{"work", list(4_900, number), list(4_900, func(i int) any { return i + i%2*1_000_000 }),
			"@@ -1,8 +1,8 @@\n {\n  \"Items\": [\n   0,\n-  1,\n+  1000001,\n   2,\n-  3\n+  1000003\n  ]\n }\n"},
		{"text", list(300, long(-1)), list(300, long(298)), "@@ -1,7 +1,7 @@\n {\n  \"Items\": [\n   " + line("false") +
			",\n-  " + line("false") + ",\n+  " + line("true") + ",\n   " + line("false") + "\n  ]\n }\n"},
		{"longer", list(9_000, number), list(20_000, number),
			"@@ -1,5 +1,8 @@\n {\n  \"Items\": [\n-  8999\n+  8999,\n+  9000,\n+  9001,\n+  9002\n  ]\n }\n"},
		{"none", list(9_000, number), map[string]any{},
			"@@ -1,7 +1,3 @@\n {\n- \"Items\": [\n-  0,\n-  1,\n-  2\n- ]\n+ \"Items\": null\n }\n"},
	} {
		items := shape.Of("Items")
		if c.want != "" {
			c.want += "the rest is left out: the objects are too large\n"
		}
		if got := items.Diff(c.was, c.now); got != c.want {
			t.Errorf("%s: got\n%.2000swant\n%s", c.name, got, c.want)
		}
	}
}

// BenchmarkDiff matches texts that take as much work as is allowed, and some more.
func BenchmarkDiff(b *testing.B) {
	for _, n := range []int{1_000, 4_900} {
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
