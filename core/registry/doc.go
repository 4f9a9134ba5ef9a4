// Package registry implements the verbs of the API over the store: get, list, watch, create,
// update, patch, delete, deletecollection. There is one path for every resource type; the
// differences between types are data in core/schema, and strategies in core/internal/kinds.
//
// # Invariants
//
//   - The stored bytes are the object as clients read it, its resourceVersion included: they are
//     encoded once, at commit, and used by every get, list and watch.
//   - A refused request changes nothing and takes no revision.
//   - A write is answered after it is durable. Readers and watches see it at the same time or a moment
//     before, never earlier.
//   - Errors that a client may see are *status.Error, or any other error, which the HTTP layer answers
//     as the real server does: code 500 and its text.
//
// # Two layers of reading
//
// As in a real control plane, reads go to etcd (the head of the store) or to a watch cache of the API
// server that answers (the store at the position of its Cache), as resourceVersion and
// resourceVersionMatch ask. Replicas are the API servers; a Reader is the registry as one of them sees
// it. The registry itself and the controllers read the head.
//
//	get    unset: the head. "0": the cache. N: the cache, once it has N.
//	list   unset: the cache, once it has the present head; the head if that takes longer
//	       than 3 s. "0": the cache. N: the cache once it has N, at N or at its position.
//	       A continue token is an exact N.
//	watch  the cache: no event is sent before the cache has it.
//
// A server has a watch cache for each type (typecache.go), whose rules are those of core/internal/watchcache: what
// it remembers, and the version that it is at. The store keeps for it what etcd has compacted.
//
// The 3 s are measured by the cluster's clock, which may be paused.
//
// A get, a list and the start of a watch take three steps. They are planned (plan.go): which rule of
// core/semantics applies, where the answer comes from, at which revision. The plan depends on the
// options, the type and little more, and making it touches nothing. Then it is carried out: wait,
// read, read again if a compaction has moved the cache. At the end the source of the answer is
// recorded, once, for clients that ask for it (explain.go), in the source.Source of the context.
// Writes record theirs when they begin and when they end.
//
// # Costs
//
// A get costs a lookup in the store, a list what core/mvcc says of ranges; neither decodes an
// object that is shown as it is stored. A list, or a watch's initial events, costs what the most
// selective of its requirements selects, if that says which labels objects have, or which nodeName
// pods have. Other requirements (!=, notin, !, other fields) alone cost a look at every object. An
// event is encoded once for all watches that show it in the same way. A write costs decoding, its
// kind's strategy and validation, and one encoding.
package registry
