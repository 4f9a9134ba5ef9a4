// Package mvcc keeps every retained revision of a set of keys, as etcd does for a Kubernetes API
// server: it is the storage below the watch, list and paging semantics of the packages above, and
// does not depend on them.
//
// # Model
//
// A Store has one revision counter. Every write takes the next revision and becomes an Event. Keys
// live in buckets, one per stored resource type; a key may have a group, the part up to its first
// slash (a namespace). Any revision from the compaction horizon up to the head can be read; below
// the horizon reads and watches end in ErrCompacted. A version may have an author, which the store
// keeps and does not look at. Its attributes have terms, by which ranges find it at every revision
// without looking at others. A Guard may refuse writes, and decides who owns a key, which each version keeps too.
//
// With a Journal, a write is pending until the journal has made it durable. Readers and watchers
// see what is committed, and nothing else; only writers, by Latest, build on pending writes. A
// write that cannot be made durable is discarded, with all pending ones. Without a journal, writes
// are committed at once.
//
// # Invariants
//
//   - Revisions are dense: revision n+1 is committed right after n. Those of discarded
//     writes, which nobody has seen, are used again. Only a store that follows another
//     one may lack some, and takes no writes itself.
//   - A Version and its bytes never change once committed; readers share them.
//   - The versions of a key are in ascending order, and readers see at most one of
//     them at or below the horizon. It is never a deletion. What a Retainer keeps besides
//     is seen by the watchers of WatchKept and queries with Kept only, and is not saved.
//   - What stores share after a Fork is never written to: neither sees what the other one writes.
//   - A watcher sees every matching event above its start exactly once and in
//     order, or it gets ErrCompacted. It is never skipped silently.
//   - A key is under a term exactly as long as a retained or pending version has it, apart from
//     deletions. Terms only leave out keys that a query does not match: what it finds, its
//     pages and their order are the same without them.
//
// # Costs
//
// With n keys in the bucket, and v retained versions of a key:
//
//   - Get, Put, Delete: O(log n + log v), and waking the watchers that match.
//   - Range at the head: O(log n) plus the keys that it passes, all of which exist, except for
//     those whose creation is pending. Keys that were deleted are kept apart from those
//     that exist until they are compacted.
//   - Range at an older revision: the same, plus those that were deleted: either the
//     deletions since that revision, or the deleted keys of the range, whichever are fewer.
//   - The number of keys after a page is O(1) for a list's first page and
//     for pages read in order; an unknown start key costs a walk of the rest.
//     A range over one name in all groups costs a lookup in each group.
//   - A range by terms: the keys of its group under the terms of one list, the one with the fewest
//     keys, instead of those that it passes. At an older revision they are, besides, the keys that
//     have left these terms and are retained, or the events since, whichever are fewer. If that is
//     more than half of the keys, it is a range as any other.
//   - A watcher has no queue. It is a cursor over the feed (all, bucket, group
//     or key) that holds nothing but matching events, so reading costs what
//     matches, however many other watchers there are. One of Terms is woken by the
//     events that have them; it then also reads those that came in between, if any.
//   - The index: a write costs O(log n) for each term that its key gains or loses, and nothing
//     for those that stay; so do its commit, and the compaction of the version that had them.
//   - Fork: a few allocations for each bucket, whatever is in it. A store that was forked, and a fork, find their
//     own changes first, and then what they share: their first write to a key copies its list of versions and what
//     is kept of its terms and its group; the first full look at a bucket's events, at a compaction say, copies the
//     list of these once. Others pay nothing for it.
//   - Commit and Discard: proportional to the events that they decide on.
//   - Compact: proportional to the events it drops and to the watchers, on
//     average: what remains of a feed is copied once half of it has been dropped.
//
// In memory, on a 64-bit machine: a key costs about 370 bytes beyond its value and what the writer
// keeps with it, a deletion that is retained about 270 beyond its own value, an idle watcher about
// 260; a key under a term about 16, and a term about 140 with its first key. The quota counts those
// of terms as they are, not by version. See BenchmarkMemory and
// TestTermMemory; devserver/internal/bench/compare weighs whole objects and whole watches.
//
// Reads share a lock, writes exclude them. Encoding under the write lock is the caller's build
// function, so that a value can hold its own revision.
package mvcc
