//go:build !js

package practice

// twoPhase are the draws of lesson 16.
var twoPhase = map[string]Draw{}
