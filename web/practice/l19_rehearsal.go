//go:build !js

package practice

// rehearsal are the draws of lesson 19.
var rehearsal = map[string]Draw{}
