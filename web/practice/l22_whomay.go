//go:build !js

package practice

// whoMay are the draws of lesson 22.
var whoMay = map[string]Draw{}
