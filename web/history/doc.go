// Package history is what the list of requests knows: every API request of the
// page with its answer, what kind of request it is, which revisions it made or is
// answered as of, and how to make it again elsewhere. A View is the list as it is
// filtered and sorted; HAR and Keep write it down.
//
// It is fed by tap events and knows nothing of the DOM. Invariants: entries are
// in the order in which the requests were made; an entry's answer only grows;
// what is kept is bounded (see Log); a View's rows are what a new View with the
// same filter and order would have. Costs: an event costs a map access and the
// string it brings, which is kept as it came and joined only when it is read. A
// View takes 0.1 ms to take in a new request among 2,000, 1 ms for another order,
// and searches as many bytes at a time as it is allowed.
package history
