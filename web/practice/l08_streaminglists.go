//go:build !js

package practice

// streamingLists are the draws of lesson 8.
var streamingLists = map[string]Draw{}
