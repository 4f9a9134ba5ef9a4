//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// createSecrets returns requests that create Secrets, each request named like its Secret.
func createSecrets(space string, names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("# @name %s\nPOST /api/v1/namespaces/%s/secrets\n\n{\"metadata\": {\"name\": %q}}\n", n,
			space, n))
	}
	return strings.Join(out, "\n###\n")
}

// namesText returns names as text: `a`, `b` and `c`.
func namesText(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "`" + n + "`"
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " and " + quoted[last]
}

// joinRequests joins requests, leaving out empty ones.
func joinRequests(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), "\n\n###\n")
}

// quoteNames returns names in Markdown: `a`, `b`, `c`.
func quoteNames(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return "`" + strings.Join(names, "`, `") + "`"
}
