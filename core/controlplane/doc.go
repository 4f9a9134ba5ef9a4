// Package controlplane implements the ControlPlane, the object that controls the cluster itself:
// its spec has the settings, and its subresources are the acts, which have an immediate effect.
//
// A setting is a row of the table in settings.go: its path in the object, its default, how it is
// parsed, and how it is applied. An act is a row of the table in acts.go. To add one, add a row;
// Parts has the parts of the cluster that it may use.
//
// Invariants: settings are applied before the write that has changed them is answered, and are
// restored when the cluster is loaded. A stored object has been parsed without an error. An act
// that is refused has changed nothing.
//
// A write of the object parses all settings twice and applies all of them. Any other write costs a
// comparison.
package controlplane
