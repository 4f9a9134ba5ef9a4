// Package dom is as much of the browser's DOM as the lab uses from Go, each
// method one call across to JavaScript.
//
// It has one type of element and one of event: a binding with a Go type for
// every HTML element costs 2.4 MB of wasm, 115 kB in brotli, for methods that
// nobody calls (they are reachable through the interfaces). Besides, every value
// that crosses costs a finalizer, so nothing is wrapped that is not used.
package dom
