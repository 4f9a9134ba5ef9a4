// Package registry carries out the verbs of the API over the store: get, list,
// watch, create, update, patch, delete, deletecollection. There is one path for
// every resource type; what differs between types is data in core/schema and
// rules in core/kinds.
//
// # Invariants
//
//   - The stored bytes are the object as clients read it, its resourceVersion
//     inside: they are encoded once, at commit, and reused by every get, list
//     and watch.
//   - A refused request changes nothing and takes no revision.
//   - A write is answered after it is durable. Readers and watches may see it a
//     moment before.
//   - Errors that a client may see are *status.Error, or any other error, which
//     the HTTP layer answers as the real server does: code 500 and its text.
//
// # Two layers of reading
//
// As in a real control plane, reads go to etcd (the head of the store) or to the
// watch cache (the store at the cache's position), as resourceVersion and
// resourceVersionMatch ask. See Cache.
package registry
