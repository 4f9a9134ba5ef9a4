// Package reflector is a client that keeps a copy of a collection, as client-go's Reflector does for
// the caches of controllers: it lists, watches from the list's resourceVersion, uses bookmarks, resumes
// a watch that has ended from the last version it has seen, lists again when that version is too old,
// and backs off after errors.
//
// A Client can also make one of three mistakes that people make in such a client (Mode). Its cache can
// be compared with the server's objects (ServerTracker, Diff), to see what each mistake causes.
//
// Invariants: a Client makes requests only by its Transport and waits only by its Clock, so the same
// answers have the same effect; nothing is random. The cache is replaced when a list is whole, never
// in part. In the mode Correct the cache equals the server's objects as soon as the client has reached
// the server's version.
//
// It differs from client-go in two points: the delays of the back off have no random part, and it does
// not ask for a timeout, so that a watch lasts as long as the server allows.
//
// Costs: an event costs what objects.Store needs for it. A Diff costs the number of objects.
package reflector
