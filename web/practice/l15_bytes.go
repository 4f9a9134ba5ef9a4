//go:build !js

package practice

// bytes are the draws of lesson 15.
var bytes = map[string]Draw{}
