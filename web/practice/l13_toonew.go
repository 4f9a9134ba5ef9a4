//go:build !js

package practice

// tooNew are the draws of lesson 13.
var tooNew = map[string]Draw{}
