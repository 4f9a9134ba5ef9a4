// Package controllerruntime uses the cluster as operators do: with
// controller-runtime's client, its cache and its reconcilers.
package controllerruntime
