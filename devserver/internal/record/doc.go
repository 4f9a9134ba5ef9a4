// Package record writes the history of a real cluster into a file that the lab opens: it lists and watches the
// cluster's
// resource types, and changes nothing there.
//
// # The file
//
// It is a recording as core/journal describes it: versions of objects, as the cluster has sent them but for what is
// redacted, with their own resourceVersions, in the order in which they came. Those are revisions of the cluster's
// etcd, so a reader of the file can put all types into one order. Its header and its notes say what was recorded, what
// was not, and why (see note).
//
// # Invariants
//
//   - A version is written once, and what is written was sent by the cluster.
//   - What is missing between two versions of a type is named in a note, by revisions and types.
//   - The file can be opened at any moment after the first lists; what a kill can lose is what came in the last
//     second. A write that fails leaves no part of itself, and is repeated until it succeeds.
//   - Whatever happens to one type does not end the recording of others.
//   - Data of Secrets is nowhere but in memory.
//
// # Costs
//
// A list in pages of 500 and one watch for each type. The memory is that of a page, of what is not written yet
// (maxPending), and about 200 bytes for each object that exists. The cluster serves as many watches as there are types.
package record
