// Package history is the model of the list of requests: every API request of the page with its
// answer, what kind of request it is, which revisions it made or is answered as of, and how to make it
// again elsewhere. A View is the list as it is filtered and sorted; HAR and Keep write it to a file
// and to the tab's storage.
//
// It reads the tap's log (tap.Log) and knows nothing of the DOM.
//
// Invariants: a View's rows are what a new View with the same filter and order would have.
//
// Costs: a View takes 0.1 ms to add a request to 2,000, and 1 ms for another order; a
// search reads at most the number of bytes that it is given at a time.
package history
