// Package data keeps a cluster in a directory: its log, the record of how far that had come, and a lock.
//
// Invariants: a directory belongs to one process at a time, until that ends, however it does. What was appended is on
// the disk when Append returns. Whatever step a crash comes at, the next start finds the old log or the new one, and
// all that was appended. Files are for their owner only: a cluster has secrets.
//
// An append costs a write and a sync; a replacement a file as long as the log, and three syncs.
package data
