// Package controlplane is the ControlPlane, the object by which a cluster itself is worked:
// its settings, which are the object's spec, and its acts, which are its subresources.
//
// A setting is a row of the table in settings.go: where it is in the object, what it is at
// first, how it is read, and how it is put in force. An act is a row of the table in acts.go.
// There is nowhere else to add one; what a setting or an act works on it finds in Parts.
//
// Invariants: settings are in force when the write that has changed them is answered, and the
// same settings are in force again when the cluster is loaded. An object that is stored has
// been read without an error. An act that is refused has changed nothing.
//
// A write of the object reads all settings twice and puts all of them in force. Any other
// write costs a comparison.
package controlplane
