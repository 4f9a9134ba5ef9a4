// Package samples writes sample objects into the cluster: manifests, and many pods at
// once. It uses the API like any client; the data is in web/samples.
package samples

//go:generate go tool templ generate -path .
