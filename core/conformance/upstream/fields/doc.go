// Package fields holds core/managedfields against the code that the real server
// keeps managedFields with: its schemas have to say the same of every served type,
// and random writes through both have to leave the same objects, owners and
// conflicts.
//
// The real server makes its schema of the OpenAPI documents that are in the
// repository of Kubernetes; the tests read them from the Go module cache.
package fields
