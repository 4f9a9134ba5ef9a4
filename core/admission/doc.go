// Package admission has what the admission plugins and the verbs share: the Attributes of a write,
// the phases that a plugin may implement, and the Chain that calls the plugins. The plugins are
// in core/internal/plugins, and the one of webhooks below this package; package core has the chain, in order.
//
// A write passes the chain three times:
//
//	Precheck   before anything else is done for the request
//	Mutate     when the object has its identity and its defaults, before it is validated
//	Validate   just before the object is stored
//
// The phases of a plugin show in its type: a Mutator may change the object in the second phase, a
// Checker only checks it there, and so on.
//
// Invariants: in each phase the plugins are called one after another, in the order of the chain,
// and the first that refuses a write ends the request. A phase may run more than once for one
// request, if the object was written meanwhile. The second phase has another pass if a webhook or a policy has changed
// the object.
//
// A plugin costs a type assertion in a phase that it does not implement.
package admission
