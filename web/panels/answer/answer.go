// Package answer is the lab's panel of that name: the answer of one request of the page, the newest or the selected
// one, with its status, headers and body; a verdict that says in a sentence what it means (package verdict); and, for a
// selected revision, what that revision changed.
//
// Invariants: a body is shown as the server wrote it, in another layout at most.
//
// Costs: a body is laid out once, a long one in the background; a stream shows its newest events, so an event costs the
// rows in view.
package answer

import "strconv"

//go:generate go tool templ generate -path .

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
