// Package journal keeps a cluster's commits beyond the life of its process: a
// write-ahead log with group commit. Where the log lives (a file of the browser's
// private file system, an IndexedDB value, memory) is a Storage's business.
//
// # Format
//
// The log is a run of frames: a head of three little-endian words (the length of
// the payload, its CRC-32C, and the CRC-32C of those two) and the payload. The
// first byte of a payload says what it is: a
// header (once, first), a version of a key, or a position (the head and the
// compaction horizon). A rewritten log begins with every retained version and a
// position, and then grows by what is committed, so a snapshot and the log
// behind it are one format and one reader.
//
// # Invariants
//
//   - Frames are in the order of their revisions.
//   - What Wait has answered for survives a crash.
//   - A log that ends within a frame, or in nothing but zeros, was cut off while
//     it was written; nobody had been told of that part, so it is dropped. Any
//     other damage is ErrCorrupt, and nothing of the log is used.
//   - When the storage fails, Wait says so: those commits may be lost. Ready then
//     refuses further ones until the whole log could be written again.
//
// # Costs
//
// A commit costs one copy of its value. All commits that arrive while the
// storage is busy go out in its next write. The log is rewritten once it has
// grown to twice what the last rewriting left, so each byte is rewritten a
// constant number of times on average.
package journal
