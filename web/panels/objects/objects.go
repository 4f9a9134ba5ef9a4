// Package objects is the lab's panel of that name: all objects of the cluster in
// one tree, and one of them with its text, its history and what belongs to it.
//
// The panel shows what etcd has, not what a watch cache has: it reads lists as of
// the newest revision, and follows the commits of the revisions stream. Nothing is
// read before the panel is in view: then one object of a list of each resource
// type, for its count, one after another. A type's objects are read when it is
// opened, without their text.
package objects

//go:generate go tool templ generate -path .
