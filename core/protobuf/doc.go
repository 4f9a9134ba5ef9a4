// Package protobuf reads and writes objects in Kubernetes' protobuf representation
// (application/vnd.kubernetes.protobuf): four magic bytes and a runtime.Unknown, which has the type
// and the message of the object.
//
// The field numbers are those of k8s.io/api's generated.proto, taken from core/schema's types; no code
// is generated. Objects without a type, which are the custom ones, have no messages.
//
// # Invariants
//
//   - Encode writes byte for byte what the generated code of k8s.io/api writes: fields in the order of
//     their numbers, zero values too unless they are pointers, maps in the order of their keys.
//   - Decode accepts any order and skips fields that it does not know, as protobuf asks. It returns an
//     error for anything else, and for what nests deeper than object.MaxDecoded or has more than
//     object.MaxValues values, the JSON inside of messages included; it does not panic.
//
// # Costs
//
// Both cost the size of the object. The message of a type is made when it is first needed, and kept.
package protobuf
