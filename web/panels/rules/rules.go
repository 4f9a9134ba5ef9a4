// Package rules is the panel that shows the tables of get, list and watch, and tests them: it sends the request of each
// row of core/semantics twice, with a watch cache that keeps up and with one that is behind.
//
// The requests go to forks of the present cluster: separate clusters, in memory, that begin as copies of it and then
// get the few Secrets of the rows (Prepare). Nothing is written to the user's cluster.
//
// What an answer is called (Words) follows from the answer, from the header Tabernetes-Source and from what was written
// into the fork; never from the row that it is compared with.
//
// Invariants:
//   - A fork's clock is paused, and is moved only for a read that waits: no answer
//     depends on how fast the machine is, and nobody waits for 3 s.
//   - The requests of the rows only read, so that any order of them gives the
//     same answers.
//
// Costs: a fork is a second WebAssembly instance of the program, without a second compilation, and takes its memory
// until it is closed: two at most, each made when a cell needs it. A request is three to five messages to its worker.
package rules

import "github.com/tabernetes/tabernetes/web/app"

//go:generate go tool templ generate -path .

// Start runs the panel in a page. It is nil outside of a browser.
var Start func(*app.App)
