// Package controller is the part of kube-controller-manager that a cluster
// without nodes cannot do without: it gives every namespace what it begins with,
// takes terminating namespaces away, collects the objects whose owners are gone,
// and fills aggregated ClusterRoles.
//
// # Model
//
// A controller is data, a plan: which events it takes notice of, as keys that are
// due some time later, and a function that brings the world in step with one key.
// It runs in a goroutine of its own, which follows the store, keeps the keys in a
// queue and synchronises those that are due, one at a time. A Set of controllers
// is switched on and off while the cluster runs.
//
// # Invariants
//
//   - Controllers read and write through the registry, as any client does. Their
//     field manager is kube-controller-manager.
//   - A synchronisation looks at what is stored now, never at the event that led
//     to it. So nothing is lost when events are missed, and doing it twice does
//     no harm: whenever a controller starts or falls behind the compaction
//     horizon, it takes notice of everything that is there.
//   - The garbage collector's graph of owners is what the events told so far. It
//     decides nothing on the graph alone: that an owner is gone, it looks up.
//   - A key waits once. What is noticed while it waits can only bring it forward.
//   - A Set that is off has no goroutines. Switching it off ends the
//     synchronisation that is under way after its present write.
//   - All delays are the cluster's time.
//
// # Costs
//
// A running controller is a goroutine, a watcher and at most one timer. A commit
// of a resource type that it does not follow costs nothing if it follows a
// single type, and else a look at the event. Events are not queued: the
// controller's cursor is. Starting costs a walk over the objects of the followed
// types; stopping waits for the write under way.
//
// The garbage collector follows all types. An object without owners that nobody
// names as an owner is not in its graph and costs a look at what the store keeps
// beside the bytes, which are not decoded; a change of owners costs as much as
// there are owners, and the end of an owner as much as it has dependents.
package controller
