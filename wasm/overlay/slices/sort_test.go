package slices

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	standard "slices"
	"testing"
)

func TestSort(t *testing.T) {
	type element struct{ key, place int }
	byKey := func(a, b element) int { return cmp.Compare(a.key, b.key) }
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		for _, keys := range []int{1, 3, 1000} {
			in := make([]element, n)
			for i := range in {
				in[i] = element{random.IntN(keys), i}
			}
			want := standard.Clone(in)
			standard.SortStableFunc(want, byKey)
			got := standard.Clone(in)
			if stableCmpFunc(got, n, byKey); !standard.Equal(got, want) {
				t.Fatalf("%v in the order %v", in, got)
			}
			got = standard.Clone(in)
			if pdqsortCmpFunc(got, 0, n, bits.Len(uint(n)), byKey); !standard.Equal(got, want) {
				t.Fatalf("%v in the order %v", in, got)
			}
		}
	}
}

func TestSortPart(t *testing.T) {
	data := []int{9, 3, 2, 1, 0}
	if pdqsortOrdered(data, 1, 4, 2); !standard.Equal(data, []int{9, 1, 2, 3, 0}) {
		t.Errorf("got %v", data)
	}
}

func TestSortOrdered(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 100 {
		in := make([]float64, n)
		for i := range in {
			in[i] = []float64{math.NaN(), math.Inf(-1), -1, 0, 1, 2}[random.IntN(6)]
		}
		got, want := standard.Clone(in), standard.Clone(in)
		pdqsortOrdered(got, 0, n, bits.Len(uint(n)))
		standard.Sort(want)
		if !standard.EqualFunc(got, want, func(a, b float64) bool { return a == b || a != a && b != b }) {
			t.Fatalf("%v in the order %v", in, got)
		}
	}
}

func BenchmarkSort(b *testing.B) {
	for name, sort := range map[string]func([]string){
		"own":      func(s []string) { pdqsortOrdered(s, 0, len(s), 10) },
		"standard": standard.Sort[[]string],
	} {
		for _, n := range []int{8, 1000} {
			b.Run(name, func(b *testing.B) {
				random := rand.New(rand.NewPCG(5, 6))
				in := make([]string, n)
				for i := range in {
					in[i] = string(rune('a' + random.IntN(500)))
				}
				s := make([]string, n)
				for b.Loop() {
					copy(s, in)
					sort(s)
				}
			})
		}
	}
}
