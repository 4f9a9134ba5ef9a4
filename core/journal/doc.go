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
// position that tells how many they are, and then grows by what is committed, so a
// snapshot and the log behind it are one format and one reader.
//
// Beside the log is a record of how far it goes: one more frame, with the last
// durable revision and whose it is. It is written at most HeadInterval after the log,
// and never before it, so a log that ends below it has lost something.
//
// # Invariants
//
//   - Above its first position's horizon a log has every revision, in order, once.
//   - What the store's Commit was called with survives a crash, and nobody is shown
//     what it was not called with.
//   - What is not as it was written is found: see Found. A log whose end was cut off
//     while it was written, so that nothing sound follows, is sound up to there; nobody
//     had been told of that part.
//   - When the storage fails, all that is not durable by then is discarded. Nothing
//     further is taken until the whole log could be written again, which is tried by
//     Ready, and again and again without being asked.
//
// # Costs
//
// A commit costs one copy of its value. All commits that arrive while the
// storage is busy go out in its next write. The log is rewritten once it has
// grown to twice what the last rewriting left, so each byte is rewritten a
// constant number of times on average. Reading and rewriting take the memory of a
// frame and of a piece, not that of the log.
package journal
