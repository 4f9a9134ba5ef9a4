// Package protobuf compares the project's protobuf encoding with the generated
// code of k8s.io/api, for every type that it serves.
package protobuf
