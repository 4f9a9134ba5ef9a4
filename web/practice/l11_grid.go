//go:build !js

package practice

// grid are the draws of lesson 11.
var grid = map[string]Draw{}
