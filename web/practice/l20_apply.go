//go:build !js

package practice

// apply are the draws of lesson 20.
var apply = map[string]Draw{}
