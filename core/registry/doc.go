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
// watch cache of the API server that answers (the store at the cache's position),
// as resourceVersion and resourceVersionMatch ask. Replicas are the API servers,
// each with its Cache; a Reader is the registry as one of them sees it. What the
// registry itself and the controllers read is the head.
//
//	get    unset: the head. "0": the cache. N: the cache, once it knows N.
//	list   unset: the cache, once it knows the head of now; the head if it does
//	       not come to it within 3 s. "0": the cache. N: the cache once it knows N,
//	       at N or at its position. A continue token is an exact N.
//	watch  the cache: nothing is told before the cache knows it.
//
// The 3 s are those of the cluster's clock, which a lever may pause.
//
// Clients may ask which of these it was: each verb notes it, where it decides it, in the
// source.Source of its context, with the rule of core/semantics.
package registry
