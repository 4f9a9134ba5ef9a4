//go:build !js

package practice

// watchStarts are the draws of lesson 5.
var watchStarts = map[string]Draw{}
