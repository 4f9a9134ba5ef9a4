//go:build !js

package practice

// namespaces are the draws of lesson 17.
var namespaces = map[string]Draw{}
