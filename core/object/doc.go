// Package object represents one API object as a tree: it reads it from JSON or YAML, writes it as
// canonical JSON, and accesses its parts.
//
// A tree consists of map[string]any, []any, string, bool, int64, float64 and nil. Decode reads one
// guided by the object's schema.Type, with the same result as a round trip through Kubernetes' Go
// struct and its storage: unknown fields are dropped, mandatory fields are present, quantities and
// times are in canonical form. Encode writes the fields in the order of the Go structs. Objects
// without a type (custom resources) are kept as they are and written with sorted keys.
//
// The decoders call themselves for each level of a text, so all of them refuse one that nests too deep; and a text
// may have so many values only, which are counted before objects are made of them: limits.go has both. For YAML, whose
// library has no such limits, yamlscan.go finds depth and number before anything is parsed.
//
// Decode reads the text once and allocates little beyond the tree; Encode allocates only when its
// destination is too small. No state is kept between calls; trees are not safe for concurrent
// changes.
package object
