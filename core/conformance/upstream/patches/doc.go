// Package patches holds core/patch and core/object against the code that the
// real server patches with: random objects and random patches go through both,
// and what comes out has to be the same, errors and all.
//
// Where that code goes over a Go map its outcome is left to chance; ours has to
// be one that it can come to.
package patches
