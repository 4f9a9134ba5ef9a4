//go:build !js

package practice

import (
	"math/rand/v2"
	"strings"
)

// pick draws one of a list.
func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// shuffled returns a list in another order.
func shuffled[T any](r *rand.Rand, list ...T) []T {
	out := append([]T(nil), list...)
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// between draws a number from least to most.
func between(r *rand.Rand, least, most int) int { return least + r.IntN(most-least+1) }

// replace returns the pattern with the value in the place of its first %s.
func replace(pattern, value string) string { return strings.Replace(pattern, "%s", value, 1) }

// distinct reports whether no two of a list are the same.
func distinct[T comparable](list ...T) bool {
	seen := map[T]bool{}
	for _, v := range list {
		if seen[v] {
			return false
		}
		seen[v] = true
	}
	return true
}
