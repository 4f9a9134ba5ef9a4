// Package fields compares core/internal/managedfields with the code that the real server keeps managedFields
// with: both must have the same schema for every served type, and random writes through both must
// leave the same objects, owners and conflicts.
//
// The real server makes its schema from the OpenAPI documents in the repository of Kubernetes; the
// tests read them from the Go module cache.
package fields
