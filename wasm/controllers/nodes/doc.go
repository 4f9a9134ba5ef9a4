// Package nodes stands in for the kubelets of a cluster: it registers Nodes and keeps them alive, and takes the Pods
// that are bound to them through their lives, as clients of the API see a kubelet do it. No container runs. What a
// program, an image or a machine does, and when, is said by Stages of kwok: those of the folder stages, and those that
// people give as API objects (package stage). What a kubelet makes of it is said here: which container starts next,
// restarts and their back-off, conditions and phases, Events, addresses, and deletion.
//
// # Invariants
//
//   - A Node or Pod is in the hands of one worker at a time, and is written only if something changes; a status is
//     written as a kubelet writes it: by a strategic merge patch of the subresource with the Pod's uid.
//   - Time is the clock that is given. There is one queue of what is due next; no Node and no Pod has a goroutine or a
//     timer.
//   - The kubelet says what a Pod's status is: what others write into fields of it that are the kubelet's is written
//     over at the kubelet's period, and no Stage and nothing here acts on it. A terminal phase is an exception.
//   - The API has everything that must outlast this program, but for back-offs, which begin again, as those of a
//     kubelet that was restarted do.
//
// # Costs
//
// An event takes time in proportion to the Pod or Node that it is about and to the Stages for its kind. A Pod takes
// some kilobytes, a Node a write every 10 seconds.
package nodes
