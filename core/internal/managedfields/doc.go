// Package managedfields tracks which field manager owns which fields of an object:
// metadata.managedFields and server-side apply (KEP-555). Update records what a create, update or
// patch has changed; Apply merges a manager's configuration into an object and finds conflicts.
//
// Comparing and removing are done by structured-merge-diff, whose schema is made from core/schema's
// types when a type is first written, and kept. This package decides when an entry is created,
// kept, joined with another or dropped, and how ownership changes; and it merges objects itself.
//
// # Invariants
//
//   - The entries that Update and Apply write can always be parsed again.
//   - An object in which nothing has changed keeps its entries, times included.
//   - Lists keep the order that their writers gave them, however long they are.
//   - The stored object (live) is never changed; nor is anything that a failed Apply was given.
//
// # Costs
//
// Update goes over both objects once; the rest of its cost grows with the differences and with the
// number of entries. The first entry of a new object is written as fast as the object is encoded.
// Apply costs the size of both objects and all entries: a few times as much as decoding them.
//
// Neither costs more per manager, per map entry or per list item where there are many of them,
// except for sorting.
//
// A bounded number of recently parsed sets of fields is cached.
package managedfields
