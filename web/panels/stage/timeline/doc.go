// Package timeline is the model of what the lab's stage draws: the revisions of a cluster, the watch
// streams as lanes, and the lists that come in pages, all by resourceVersion.
//
// It is portable: a Model is fed with frames of the revisions stream and tap events, and returns what
// has changed. Package web/panels/stage draws it.
//
// Invariants:
//   - A lane is one client: a watch that continues where another one ended belongs to its lane.
//   - A Series has its marks in the order of their revisions.
//   - Memory is bounded: the oldest commits, lanes and marks are dropped first.
//
// Costs: an event costs O(1), whatever the length of the history; one that comes out of order costs a
// sort. Finding a revision costs a binary search.
package timeline
