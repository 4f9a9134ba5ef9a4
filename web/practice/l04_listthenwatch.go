//go:build !js

package practice

// listThenWatch are the draws of lesson 4.
var listThenWatch = map[string]Draw{}
