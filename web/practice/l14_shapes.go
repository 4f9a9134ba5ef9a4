//go:build !js

package practice

// shapes are the draws of lesson 14.
var shapes = map[string]Draw{}
