//go:build !js

package practice

// ownTypes are the draws of lesson 21.
var ownTypes = map[string]Draw{}
