// Package history is what the list of requests knows: every API request of the
// page with its answer, what kind of request it is, and how to make it again
// elsewhere.
//
// It is fed by tap events and knows nothing of the DOM. Invariants: entries are
// in the order in which the requests were made; an entry's answer only grows;
// what is kept is bounded (see Log). Costs: an event costs a map access and the
// string it brings, which is kept as it came and joined only when it is read.
package history
