// Package auth finds out who makes a request and what they may do.
//
// An Authenticator turns a request's credentials into a User. The request may then impersonate
// another user (Impersonation). An Authorizer says whether the User may do what the request's
// Attributes describe. RBAC is the Authorizer that follows the Roles, ClusterRoles and bindings of
// the store.
//
// # Invariants
//
//   - Reasons and messages are those of kube-apiserver, as the recordings in recordings-rbac have them.
//   - Nobody can grant rights that they do not have, unless a rule allows them to (escalate, bind).
//   - RBAC is told of every commit, so a role or binding takes effect as soon as it is written.
//
// # Costs
//
// RBAC keeps roles decoded and bindings indexed by subject: a request costs the bindings that apply
// to its user. A write of a role or binding costs the size of that object.
package auth
