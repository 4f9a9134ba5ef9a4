//go:build !js

package practice

// bookmarks are the draws of lesson 6.
var bookmarks = map[string]Draw{}
