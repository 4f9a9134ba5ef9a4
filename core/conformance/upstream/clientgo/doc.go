// Package clientgo uses the cluster as Go programs do: with client-go's typed clients, and with its
// tools for lists and watches.
package clientgo
