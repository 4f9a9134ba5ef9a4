// Package protobuf reads and writes objects in Kubernetes' protobuf
// representation (application/vnd.kubernetes.protobuf): four magic bytes and a
// runtime.Unknown, which says what the object is and holds its message.
//
// The field numbers are those of k8s.io/api's generated.proto, from core/schema's
// types; nothing is generated. Objects without a type, which are the custom ones,
// have no messages.
//
// # Invariants
//
//   - What Encode writes is byte for byte what the generated code of k8s.io/api
//     writes: fields in the order of their numbers, those that are no pointers even
//     when they are zero, maps in the order of their keys.
//   - Decode accepts any order, skips fields that it does not know, as protobuf asks,
//     and never fails otherwise than with an error.
//
// # Costs
//
// Both cost what the object holds; the message of a type is made when it
// is first needed, and kept.
package protobuf
