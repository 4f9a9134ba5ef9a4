// Package cbor reads and writes objects in Kubernetes' CBOR representation
// (application/cbor, RFC 8949): the JSON of an object in another encoding, behind
// three bytes that say so. Watches answer with one item after the other
// (application/cbor-seq).
//
// The choices that RFC 8949 leaves are those of k8s.io/apimachinery: strings are
// byte strings, the keys of maps are in the order of their encoding, floats are as
// short as their value allows, and bytes that JSON has in base64 are themselves,
// with the tag that says how to show them. Which strings are such bytes, and which
// numbers are floats whatever they look like, is known from core/schema's types;
// custom resources have neither.
//
// # Invariants
//
//   - What FromJSON writes is byte for byte what apimachinery's deterministic
//     encoder writes of the same object.
//   - ToJSON accepts what apimachinery's decoder accepts: any order, text strings,
//     items of indefinite length and tags, but no two equal keys, no infinities, no
//     simple values but false, true and null, nothing behind the item, and no deeper
//     nesting than maxDepth. It never fails otherwise than with an error.
//
// # Costs
//
// FromJSON makes an index of the document, of 24 bytes for each value, and writes
// the item in one pass; no tree is made. ToJSON reads and writes in one pass.
package cbor
