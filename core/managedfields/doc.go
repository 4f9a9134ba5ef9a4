// Package managedfields knows which fields of an object belong to whom: the
// field managers of server-side apply (KEP-555), as metadata.managedFields tells
// of them. Update notes what a create, update or patch has changed; Apply merges
// what a manager wants into an object and finds conflicts.
//
// Merging and comparing are structured-merge-diff's, whose schema is made of
// core/schema's types when a type is first written, and kept. What is ours is
// when an entry is made, kept, joined with another or dropped.
//
// # Invariants
//
//   - The entries that Update and Apply leave always parse again.
//   - An object in which nothing has changed keeps its entries, times included.
//   - live is never changed; what a failed Apply was given is not changed either.
//
// # Costs
//
// Update and Apply cost what both objects and the entries that are there hold
// together, not what changes: about as much as decoding both.
package managedfields
