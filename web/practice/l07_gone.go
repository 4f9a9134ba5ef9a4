//go:build !js

package practice

// gone are the draws of lesson 7.
var gone = map[string]Draw{}
