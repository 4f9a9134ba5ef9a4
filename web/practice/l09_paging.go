//go:build !js

package practice

// paging are the draws of lesson 9.
var paging = map[string]Draw{}
