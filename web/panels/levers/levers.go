// Package levers is the menus of the lab's levers: the API servers and their caches, the clock, and
// everything else that the ControlPlane can do; with undo, forks and chaos.
//
// Invariants: every lever is an API request, which the list of requests shows. Acts that discard
// something take a snapshot first, which undo restores.
//
// Costs: an act that can be undone costs a snapshot of the cluster.
package levers

//go:generate go tool templ generate -path .
