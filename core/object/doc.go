// Package object holds one API object as a tree: reading it from JSON or YAML, writing it as
// canonical JSON, and getting at its parts.
//
// A tree is made of map[string]any, []any, string, bool, int64, float64 and nil. Decode reads one guided by
// the object's schema.Type and leaves it as a round trip through Kubernetes' Go struct and its storage
// would: unknown fields are gone, mandatory fields are there, quantities and times are in canonical form. Encode writes
// the fields in the order of the Go structs. Objects without a type (custom resources) are kept as they are and
// written alphabetically.
//
// Decode reads the text once and allocates little beyond the tree; Encode allocates only when its
// destination is too small. Nothing here keeps state between calls; trees are not safe for changes by
// several goroutines.
package object
