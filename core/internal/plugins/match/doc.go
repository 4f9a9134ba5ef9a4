// Package match finds out whether a request is one that a webhook or an admission policy is for, in which version
// they see its object, and what their expressions see of it.
//
// Criteria are the rules and selectors of a configuration, decoded. A Request is one write; it looks up what criteria
// ask for at most once, and only if one asks. A Form is the request in the version of a match. Conditions are match
// conditions.
//
// The behaviour is that of kube-apiserver. A match costs the length of the rules, and a look at the namespace if it
// selects namespaces.
package match
