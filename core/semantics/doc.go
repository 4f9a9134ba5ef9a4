// Package semantics is the rules by which kube-apiserver v1.36.3 reads: what
// resourceVersion, resourceVersionMatch, limit, continue and sendInitialEvents mean to
// get, list and watch, as data. core/registry carries the rules out and names the one
// that applied (see core/source); core/README.md shows the Rows as tables, which the tests
// of core send to a server one by one; pages look up what a rule means.
//
// # Invariants
//
//   - IDs are unique, and tokens of RFC 8941.
//   - The rule of a read follows from what was asked for and from the type, never from
//     how the cache stands or how the read ends. So a row has one rule, whether the
//     cache is behind or not.
//
// The package has no dependencies and does nothing but look things up in small
// tables, so that any host can use it.
package semantics
