//go:build !js

package practice

// verbs are the draws of lesson 2.
var verbs = map[string]Draw{}
