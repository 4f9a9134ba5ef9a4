package patch

import (
	"fmt"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// volumes returns the given number of volumes, whose names begin with a prefix.
func volumes(n int, prefix string, more map[string]any) []any {
	list := make([]any, n)
	for i := range list {
		v := map[string]any{"name": fmt.Sprint(prefix, i)}
		for key, value := range more {
			v[key] = value
		}
		list[i] = v
	}
	return list
}

// BenchmarkLongLists merges two lists that are both as long as a request allows. The time per item
// must not grow.
func BenchmarkLongLists(b *testing.B) {
	pod := schema.TypeOf("", "v1", "Pod")
	for _, c := range []struct {
		name, prefix string
		more         map[string]any
	}{
		{"changed", "v", map[string]any{"emptyDir": map[string]any{}}},
		{"added", "w", nil},
		{"deleted", "v", map[string]any{directive: "delete"}},
	} {
		for _, n := range []int{1000, 4000, 16000} {
			b.Run(fmt.Sprint(c.name, "/", n), func(b *testing.B) {
				doc := map[string]any{"spec": map[string]any{"volumes": volumes(n, "v", nil)}}
				change := map[string]any{"spec": map[string]any{"volumes": volumes(n, c.prefix, c.more)}}
				for b.Loop() {
					if _, err := Strategic(object.DeepCopy(doc), object.DeepCopy(change), pod); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/item")
			})
		}
	}
}

// A series of deletions has the same result as deleting items one at a time: an item beyond the new
// end is found by the previous order.
func TestDeletionLeavesTheTail(t *testing.T) {
	for _, order := range []string{"", "a", "e", "ae", "ea", "bce", "edcb", "abcde", "edcba", "aa", "x"} {
		list, cut := volumes(5, "", nil), volumes(5, "", nil)
		d := deletion{list: list, mergeKey: "name"}
		whole := cut
		for _, c := range order {
			name := fmt.Sprint(int(c - 'a'))
			d.delete(name)
			for i := 0; i < len(cut); i++ {
				if cut[i].(map[string]any)["name"] == name {
					cut = append(cut[:i], cut[i+1:]...)
					i--
				}
			}
		}
		if got := d.rest(); fmt.Sprint(got) != fmt.Sprint(cut) {
			t.Errorf("%q leaves %v, want %v", order, got, cut)
		}
		if fmt.Sprint(list) != fmt.Sprint(whole) {
			t.Errorf("%q makes the list %v, want %v", order, list, whole)
		}
	}
}
