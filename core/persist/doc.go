// Package persist is how a cluster is kept: the header that says which cluster it is, the
// loading of what was saved, and the Storage of one that runs, with what there is to say of
// how that fares.
//
// Invariants: what cannot be loaded changes nothing but the new cluster that it is loaded
// into. A cluster that was handed over commits nothing.
//
// Loading reads everything once; a cluster in memory costs nothing.
package persist
