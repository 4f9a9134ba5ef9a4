// Package custom compares what the server makes of custom resources and of their
// definitions with what the real server's own packages make of them
// (k8s.io/apiextensions-apiserver): random schemas with random objects, and definitions
// that are broken in random places.
package custom
