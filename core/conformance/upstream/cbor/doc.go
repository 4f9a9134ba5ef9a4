// Package cbor compares core/cbor with the code that the real server reads and writes CBOR with
// (k8s.io/apimachinery), in both directions and for every served type, and uses the server with a
// client that speaks CBOR.
package cbor
