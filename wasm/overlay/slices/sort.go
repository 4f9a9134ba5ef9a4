// Package slices is what the browser's binary has of package slices to sort with.
// The standard library's sorting is twenty kilobytes of code for each type of
// element; here all types share what does not depend on them. Few things in the
// page have more than a dozen elements to sort, for which there is no difference.
//
// All sorting is stable, as only some of the standard library's is. Nobody imports
// this package: package overlay puts this file in the place of those in which
// package slices keeps these functions.
package slices

import "cmp"

// few is how many elements are sorted by insertion.
const few = 12

// pdqsortOrdered sorts data[a:b]. The name and the last argument are those of the
// algorithm that the standard library has for it.
func pdqsortOrdered[E cmp.Ordered](data []E, a, b, _ int) {
	stableCmpFunc(data[a:b], b-a, cmp.Compare[E])
}

// pdqsortCmpFunc sorts data[a:b].
func pdqsortCmpFunc[E any](data []E, a, b, _ int, compare func(a, b E) int) {
	stableCmpFunc(data[a:b], b-a, compare)
}

// stableCmpFunc sorts data, which has n elements.
func stableCmpFunc[E any](data []E, n int, compare func(a, b E) int) {
	if n <= few {
		for i := 1; i < n; i++ {
			for j := i; j > 0 && compare(data[j], data[j-1]) < 0; j-- {
				data[j], data[j-1] = data[j-1], data[j]
			}
		}
		return
	}
	sorted := make([]E, n)
	for to, from := range ordered(n, func(i, j int) bool { return compare(data[i], data[j]) < 0 }) {
		sorted[to] = data[from]
	}
	copy(data, sorted)
}

// ordered returns the order, by number, of n elements of which less compares two. It
// merges runs of one, then of two, and so on.
func ordered(n int, less func(i, j int) bool) []int {
	from, to := make([]int, n), make([]int, n)
	for i := range from {
		from[i] = i
	}
	for run := 1; run < n; run *= 2 {
		for begin := 0; begin < n; begin += 2 * run {
			i, middle, end := begin, min(begin+run, n), min(begin+2*run, n)
			j := middle
			for k := begin; k < end; k++ {
				if j == end || i < middle && !less(from[j], from[i]) {
					to[k] = from[i]
					i++
				} else {
					to[k] = from[j]
					j++
				}
			}
		}
		from, to = to, from
	}
	return from
}
