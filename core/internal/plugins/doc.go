// Package plugins has the admission plugins that come with the server, a file each: those of the real server, under
// its names in core/admission.go, which has their order, and a few of its rules that are no plugins there. The Pod
// Security Standards are in podsecurity, what policies are is in policies, what they and webhooks are for in match;
// webhooks are in core/admission/webhooks.
//
// Invariants: a plugin reads what it needs through its fields, from the store or by a function, and keeps nothing
// between writes, unless its comment says so.
//
// A plugin that a write does not concern costs a comparison of its resource.
package plugins
