//go:build !js

package practice

// versions are the draws of lesson 3.
var versions = map[string]Draw{}
