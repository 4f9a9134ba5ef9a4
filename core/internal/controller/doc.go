// Package controller has the part of kube-controller-manager that a cluster without nodes needs: it
// creates the initial objects of every namespace, empties namespaces that are deleted, deletes
// objects whose owners are gone, sets the rules of aggregated ClusterRoles, measures what
// ResourceQuotas limit, and checks the types in expressions of ValidatingAdmissionPolicies.
//
// # Model
//
// A controller is data, a plan: the events it reacts to, as keys that are due some time later, and
// a function that reconciles one key. It runs in its own goroutine, which follows the store,
// keeps the keys in a queue and reconciles those that are due, one at a time. A Set of controllers
// is switched on and off while the cluster runs.
//
// # Invariants
//
//   - Controllers read and write through the registry, like any client. Their field manager is
//     kube-controller-manager.
//   - A reconciliation reads the current state, and does not use the event that led to it. So missed
//     events and repeated reconciliations do no harm: whenever a controller starts or falls behind
//     the compaction horizon, it lists everything.
//   - The garbage collector's graph of owners is built from events and may be behind. It deletes
//     nothing by the graph alone: whether an owner is gone is read from the store.
//   - A key is in the queue once. Further events can only make it due earlier.
//   - While a kube-controller-manager holds its Lease in kube-system, the controllers that it has too rest, and only
//     expressions and ClusterRoles are looked after.
//   - A Set that is off has no goroutines. Switching it off ends the reconciliation that is running
//     after its current write.
//   - All delays are in the cluster's time, but for the end of that Lease, which is by the clock of its holder.
//
// # Costs
//
// A running controller is a goroutine, a watcher and at most one timer. A commit of a resource type
// that it does not follow costs nothing if it follows a single type, and otherwise a look at the
// event. Events are not queued: the controller's cursor is its position in the feed. Starting costs
// a walk over the objects of the followed types; stopping waits for the write that is running.
//
// The garbage collector follows all types. An object that has no owners and is no owner is not in
// its graph; it costs a look at its attributes in the store, without decoding. A change of owners
// costs the number of owners, the deletion of an owner the number of its dependents.
package controller
