// Package reflector is a client that keeps a copy of a collection, as client-go's
// Reflector does for the caches of controllers: it lists, watches from the list's
// resourceVersion, takes bookmarks, resumes a watch that has ended at the version that
// it has come to, lists again when that version is too old, and backs off after errors.
//
// A Client can also make one of three mistakes that people make who write such a client
// themselves (Mode). Its cache can be compared with the server's objects (Truth, Diff),
// so that what each mistake costs is seen.
//
// Invariants: a Client makes requests only by its Transport, and waits only by its
// Clock, so that one that is given the same answers does the same; nothing is random.
// The cache is replaced when a list is whole, never in part. In the mode Correct the
// cache is equal to the server's objects as soon as the client has reached the
// server's version.
//
// It differs from client-go in two points: the delays of the back off have no random
// part, and it does not ask for a timeout, so that a watch is as long as the server
// lets it be.
//
// Costs: an event costs what objects.Store takes for it. A Diff costs the objects.
package reflector
