// Package patches compares core/patch and core/object with the real server's code for patches:
// random objects and random patches go through both, and the results must be the same, errors
// included.
//
// Where the real code iterates over a Go map, its result is random; ours must be one of the
// possible ones.
package patches
