//go:build !js

package practice

// oldServers are the draws of lesson 12.
var oldServers = map[string]Draw{}
