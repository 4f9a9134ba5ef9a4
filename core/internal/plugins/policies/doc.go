// Package policies is the admission plugin that applies ValidatingAdmissionPolicies and MutatingAdmissionPolicies: the
// two plugins of the real server in one. Their expressions are evaluated by the cluster's evaluator of CEL.
//
// config.go reads policies and bindings and caches them, decoded, until one is written; a policy is compiled when a
// write first needs it. parameters.go finds the parameters of a binding, evaluate.go what expressions see; validate.go
// and mutate.go are the two phases, and patch.go what a mutation does to an object. check.go compiles policies that are
// being written.
//
// The behaviour and the texts are those of kube-apiserver. Where it visits policies and bindings in no particular
// order, here they are visited by name. Message expressions are evaluated only if a validation fails: so their cost
// counts only then.
//
// A write costs an atomic load if there are no policies with bindings. Otherwise it costs the match of each, and the
// expressions of those that match.
package policies
