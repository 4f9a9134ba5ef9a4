// Package objects is the lab's model of a cluster's objects: a Store keeps a collection as an informer
// does, from a list and the events of a watch; a Collection keeps it as etcd has it, from a list and
// the commits of the revisions stream; Counts has the number of objects of each resource type; a Tree
// puts groups, types and objects into rows; Family and Finalizers say what an object belongs to, what
// belongs to it, and what its deletion waits for.
//
// It is fed text and commits and is asked for rows; it makes no requests.
//
// Invariants: objects are in key order (namespace, then name); each is kept once, in a Store as the
// JSON text that the server sent; a count is that of one revision at any time.
//
// Costs: a list is read in one pass without building its objects; an event or a commit costs a binary
// search and a move of pointers; a tree's rows cost the number of types, not of objects.
package objects
