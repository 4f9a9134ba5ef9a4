// Package controller is the part of kube-controller-manager that a cluster without nodes needs: it
// gives every namespace its first objects, empties namespaces that are deleted, collects objects
// whose owners are gone, and fills aggregated ClusterRoles.
//
// # Model
//
// A controller is data, a plan: which events it reacts to, as keys that are due some time later, and
// a function that reconciles one key. It runs in a goroutine of its own, which follows the store,
// keeps the keys in a queue and reconciles those that are due, one at a time. A Set of controllers is
// switched on and off while the cluster runs.
//
// # Invariants
//
//   - Controllers read and write through the registry, like any client. Their field manager is
//     kube-controller-manager.
//   - A reconciliation looks at what is stored now, never at the event that led to it. So nothing is
//     lost when events are missed, and doing it twice does no harm: whenever a controller starts or
//     falls behind the compaction horizon, it looks at everything that exists.
//   - The garbage collector's graph of owners is built from events and may be behind. It deletes
//     nothing by the graph alone: whether an owner is gone is read from the store.
//   - A key is in the queue once. Further events can only make it due earlier.
//   - A Set that is off has no goroutines. Switching it off ends the reconciliation that is running
//     after its present write.
//   - All delays are in the cluster's time.
//
// # Costs
//
// A running controller is a goroutine, a watcher and at most one timer. A commit of a resource type
// that it does not follow costs nothing if it follows a single type, and otherwise a look at the
// event. Events are not queued: the controller's cursor is its place in the feed. Starting costs a
// walk over the objects of the followed types; stopping waits for the write that is running.
//
// The garbage collector follows all types. An object that has no owners and is no owner is not in its
// graph and costs a look at what the store keeps beside the bytes, which are not decoded. A change of
// owners costs the number of owners, the deletion of an owner the number of its dependents.
package controller
