//go:build !js

package main

// main does nothing: the front runs at the edge only. Its tests run everywhere.
func main() {}
