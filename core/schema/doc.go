// Package schema has the resource types of the Kubernetes API and the fields of their types as
// data.
//
// Two embedded tables are the source, written by core/internal/generate from the sources of one Kubernetes
// release: resources.txt (what discovery shows) and types.txt (the Go types, their tags and the
// OpenAPI documents). behaviour.go adds by hand what neither has: the behaviour of each resource's
// registry strategy.
//
// # Invariants
//
//   - Types and resources never change once they are in a Table, and may be shared.
//   - Every served resource has a row in behaviour.go; Builtin panics otherwise.
//
// # Costs
//
// Nothing is parsed when the program starts. Builtin parses the few kilobytes of resources.txt; a
// type is parsed, with all types that it reaches, when it is first needed, and cached.
package schema
