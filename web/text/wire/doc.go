// Package wire reads the binary representations of objects, Kubernetes' protobuf and CBOR, to show what each byte is
// for.
//
// A Document is a list of spans in the order of the bytes: which bytes they are, how deep they nest, what they are on
// the wire, which field of the object that is, and its value. The fields of built-in kinds have the names that
// core/schema has for their numbers; an unknown field has its number, and its bytes are shown as text, as a message or
// as bytes, whichever fits.
//
// Invariants: every byte before Document.Rest is in exactly one span's own bytes, and no other byte is. What cannot be
// read ends the document with an Error that says where; no input causes a panic. A document has at most maxSpans spans
// and reads at most maxDepth levels.
//
// Costs: one pass over the bytes; a field of unknown type is read again for each level that it is nested in. A span
// takes some 150 bytes, and shares no memory with its document.
package wire

//go:generate go tool templ generate -path .
