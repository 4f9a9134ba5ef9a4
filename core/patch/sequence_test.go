package patch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
)

// A sequence equals a list after the same operations.
func TestSequence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var list []*node
		for range r.IntN(2000) {
			list = append(list, &node{})
		}
		s := newSequence(list)
		list = slices.Clone(list)
		for range 3000 {
			switch n := (&node{}); r.IntN(4) {
			case 0, 1:
				i := r.IntN(len(list) + 1)
				s.insert(i, n)
				list = slices.Insert(list, i, n)
			case 2:
				if len(list) > 0 {
					i := r.IntN(len(list))
					s.remove(i)
					list = slices.Delete(list, i, i+1)
				}
			case 3:
				if len(list) > 0 {
					i := r.IntN(len(list))
					s.set(i, n)
					list[i] = n
				}
			}
		}
		if got := slices.Collect(s.all); !slices.Equal(got, list) || s.size != len(list) {
			t.Fatalf("%d items, want %d", len(got), len(list))
		}
		for i, n := range list {
			if s.get(i) != n {
				t.Fatal("another item at ", i)
			}
		}
	}
}

// Deep values are read and written as shallow ones are.
func TestDeep(t *testing.T) {
	const depth = 3 * maxLevel
	nest := func(inner string) string {
		return strings.Repeat(`{"a":[null,`, depth) + inner + strings.Repeat(`,1.50],"b":{"<":"\u00e9"}}`, depth)
	}
	path := strings.Repeat("/a/1", depth)
	got, _, err := JSON([]byte(nest(`{"x": 1.0 }`)), []byte(fmt.Sprintf(
		`[{"op":"test","path":"%[1]s/x","value":1.0},{"op":"add","path":"%[1]s/y","value":[2]},
			{"op":"remove","path":"%[1]s/x"},
			{"op":"test","path":"%[1]s","value":{"y":[2]}}]`, path)), false)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(nest(`{"y":[2]}`), "<", `\u003c`); string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// BenchmarkPatches are patches that would take long if each operation scanned the whole document.
func BenchmarkPatches(b *testing.B) {
	const deep = object.MaxDepth - 10
	const most = object.MaxValues - MaxOperations - 2 // the document, the list, and what is added
	for _, c := range []struct {
		name, doc, patch string
	}{
		{"at the front", `{"l":[` + strings.TrimSuffix(strings.Repeat(`"a",`, most), ",") + `]}`,
			`[` + strings.TrimSuffix(strings.Repeat(`{"op":"add","path":"/l/0","value":1},`, MaxOperations), ",") + `]`},
		{"far below", strings.Repeat(`{"a":`, deep) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("}", deep),
			`[` + strings.TrimSuffix(strings.Repeat(`{"op":"replace","path":"`+strings.Repeat("/a", deep)+`","value":1},`, 5000),
				",") + `]`},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := JSON([]byte(c.doc), []byte(c.patch), false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
