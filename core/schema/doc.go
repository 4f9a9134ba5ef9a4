// Package schema holds the resources of the Kubernetes API and the fields of their types as data.
//
// Two embedded tables, written by core/generate from the sources of one Kubernetes release, are
// the source: resources.txt (what discovery shows) and types.txt (what the Go types, their tags and the
// OpenAPI documents say). behaviour.go adds by hand what neither tells: how each resource's strategy
// treats it.
//
// Nothing is parsed when the program starts. Builtin parses the few kilobytes of resources.txt; a type is
// parsed, with all it reaches, when first asked for, and then kept for good. Types and
// resources never change and may be shared freely.
package schema
