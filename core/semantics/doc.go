// Package semantics has the rules of reads in kube-apiserver v1.36.3, as data: what
// resourceVersion, resourceVersionMatch, limit, continue and sendInitialEvents mean for get, list
// and watch. core/registry implements the rules and names the one that applied (see core/source);
// core/README.md shows the Rows as tables, whose requests the tests of core send to a server; pages
// look up the meaning of a rule, and of a Cause why a version is too old.
//
// # Invariants
//
//   - IDs are unique, and tokens of RFC 8941.
//   - The rule of a read follows from the request and from the resource type, never from the state of
//     the cache or from how the read ends. So a row has one rule, whether the cache is behind or not.
//
// The package only looks things up in small tables and depends on core/settings alone, so any host can use it.
package semantics
