// Package persist saves and loads a cluster: it has the header that identifies it, the loading of a
// saved cluster, and the Storage of a running one, with its status.
//
// Invariants: a failed load changes nothing but the new cluster that it loads into. A cluster that
// was handed over commits nothing.
//
// Loading reads everything once; a cluster in memory costs nothing.
package persist
