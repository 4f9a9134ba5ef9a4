// Package clientgo uses the cluster as programs in Go do: with client-go's typed
// clients, and with its tools that make the most of lists and watches.
package clientgo
