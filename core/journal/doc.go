// Package journal makes a cluster's commits durable: a write-ahead log with group commit. A Storage
// holds the log (in a file of the browser's private file system, an IndexedDB value, or memory).
//
// # Format
//
// The log is a sequence of frames: a head of three little-endian words (the length of the payload,
// its CRC-32C, and the CRC-32C of those two) and the payload. The first byte of a payload is its
// kind: a header (once, first), a version of a key, with its author and its owners if those are
// known, or a position (the head and the compaction horizon). A rewritten log begins with a snapshot,
// which is every retained version and a position with their number, and then grows by commits, so a
// snapshot and a log have the same format and the same reader.
//
// A recording is what was seen of another cluster, by devserver/internal/record. Its first part, up to the end of a
// snapshot or else of the log, has versions in any order, positions, and frames that only it has: notes (JSON), how
// far a resource type has been recorded, and keys that were found to be gone, by a revision. It lacks the
// revisions that were not seen, and may end anywhere behind its first position. What follows is as in any log.
//
// A release reads what all earlier ones have written. What a later one adds to the format is a new
// kind, or a field of the header, which earlier ones ignore; a log with a kind that a
// release does not know is refused as a whole, since it is not damaged: see ErrOtherRelease.
//
// Beside the log is the head record: one more frame, with the last durable revision and the
// identity of the cluster. It is written at most HeadInterval after the log, and never before it,
// so a log that ends below it has lost something.
//
// # Invariants
//
//   - Above its first position's horizon a log has every revision, in order, once, but for the first part of a
//     recording, whose versions have the revisions that they have in the other cluster.
//   - Events for which the store's Commit was called survive a crash, and nobody sees
//     any others.
//   - Damage is detected: see Found. A log whose end was cut off while it was written, so
//     that no valid frame follows, is valid up to there; no client had an answer for
//     the writes after it.
//   - When the storage fails, everything that is not durable by then is discarded. No
//     further event is taken until the whole log has been rewritten, which Ready tries,
//     and a timer as well.
//
// # Costs
//
// A commit costs one copy of its value. All commits that arrive while the storage is busy are
// written together next. The log is rewritten once it has grown to twice its size after the last
// rewriting, so each byte is rewritten a constant number of times on average. Reading and rewriting
// take the memory of a frame and a buffer, not that of the log.
package journal
