// Package seed applies manifests at every start of the server: what --seed names.
//
// Invariants: all files are read before anything is applied. What is applied twice is left as it is by the second time.
// Every error says in which file and document its manifest is.
//
// It costs a request for each manifest and for each group version, and the wait for the types that they define.
package seed
