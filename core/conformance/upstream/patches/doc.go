// Package patches compares core/patch and core/object with the code that the real server patches
// with: random objects and random patches go through both, and the results must be the same, errors
// included.
//
// Where the real code iterates over a Go map, its result is random; ours must be one of those that
// are possible.
package patches
