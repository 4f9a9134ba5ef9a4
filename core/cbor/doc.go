// Package cbor reads and writes objects in Kubernetes' CBOR representation (application/cbor, RFC
// 8949): the JSON of an object in another encoding, behind a tag of three bytes. Watches are a
// sequence of items (application/cbor-seq).
//
// Where RFC 8949 leaves a choice, the choice is that of k8s.io/apimachinery: strings are byte
// strings, the keys of maps are in the order of their encoding, floats are as short as their value
// allows, and base64 strings of JSON are bytes, with the tag for that. The types in core/schema
// tell which strings are bytes, and which integers are floats; custom resources have neither.
//
// # Invariants
//
//   - FromJSON writes byte for byte what apimachinery's deterministic encoder writes.
//   - ToJSON accepts what apimachinery's decoder accepts: any order, text strings, items of indefinite
//     length and tags, but no two equal keys, no infinities, no simple values except false, true and
//     null, nothing after the item, no deeper nesting than object.MaxDecoded and no more values than
//     object.MaxValues. Otherwise it returns an error; it does not panic.
//
// # Costs
//
// FromJSON makes an index of the document, 24 bytes for each value, and writes the item in one
// pass; it makes no tree. ToJSON reads and writes in one pass.
package cbor
