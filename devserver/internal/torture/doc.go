// Package torture kills a devserver at random moments and checks that it keeps
// its promise: nothing acknowledged is lost, nothing that was shown disappears,
// nothing diverges.
//
// A real devserver keeps a cluster in a directory. Writers, readers and followers
// (list and watch, as an informer does) work on it; everything that they are
// answered and shown goes into a Ledger. The server is killed with SIGKILL and
// started again. Then the server's history since the last check is read, which is
// compared with the ledger:
//
//   - lost: a write that was acknowledged is not in the history;
//   - gone: a version, or a revision of the collection, that somebody was shown is
//     not in the history;
//   - reused: a revision stands for two different events;
//   - diverged: a follower, which continues after each restart from where it was, has
//     got other events than the history has, or its cache differs from a list;
//     a list showed what never was at its revision; or a write of unknown outcome
//     took effect twice, or one that was refused did.
//
// A killed process loses only what it has not yet given to the operating system.
// What is written while the disk is idle is given at once, so the interesting
// faults need a slow disk, behind which writes queue up. There are two ways to
// have one: the server delays its own syncs if the environment variable
// TABERNETES_SLOW_SYNC is a duration, or strace delays its system calls. A run
// measures whether syncs really are slow, and says so if they are not.
package torture
