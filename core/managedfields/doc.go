// Package managedfields knows which fields of an object belong to whom: the
// field managers of server-side apply (KEP-555), as metadata.managedFields tells
// of them. Update notes what a create, update or patch has changed; Apply merges
// what a manager wants into an object and finds conflicts.
//
// Merging and comparing are structured-merge-diff's, whose schema is made of
// core/schema's types when a type is first written, and kept. What is ours is
// when an entry is made, kept, joined with another or dropped, who loses what to whom,
// and merging where lists are long.
//
// # Invariants
//
//   - The entries that Update and Apply leave always parse again.
//   - An object in which nothing has changed keeps its entries, times included.
//   - live is never changed; what a failed Apply was given is not changed either.
//
// # Costs
//
// Update goes over both objects once; the rest of what it costs grows with what
// differs and with the entries that are there. The first entry of a new object is
// written as fast as the object is encoded. Apply costs what both objects and all
// entries hold together: a few times as much as decoding them.
//
// Neither costs more per manager, per entry of a map or per item of a list where there are
// many of them, but for the sorting.
//
// The sets of fields that have been read of late are kept, a bounded number.
package managedfields
