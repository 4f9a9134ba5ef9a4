// Package custom compares the server's treatment of custom resources and of their definitions with
// that by the real server's own packages (k8s.io/apiextensions-apiserver): random schemas with
// random objects, and definitions that are broken in random places.
package custom
