// Package admission is what the admission plugins and the API server's verbs have in common:
// the Attributes of a write on its way to the storage, the phases in which a plugin may see
// it, and the Chain that takes it from one plugin to the next. Each plugin has a package of
// its own below this one; package core has the chain, in order.
//
// A write meets the chain three times:
//
//	Precheck   before anything is done for the request
//	Mutate     when the object has its identity and its defaults, before it is validated
//	Validate   just before the object is stored
//
// What a plugin does shows in its type: a Mutator may change the object in the second phase,
// a Checker only looks at it there, and so on.
//
// Invariants: in each phase the plugins see a write one after the other, in the order of the
// chain, and the first that refuses it ends the request. A phase may come more than once for
// one request, when the object was written meanwhile.
//
// A plugin that has no part in a phase costs a type assertion there.
package admission
