//go:build !js

package practice

// staleReads are the draws of lesson 10.
var staleReads = map[string]Draw{}
