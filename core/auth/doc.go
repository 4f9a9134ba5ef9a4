// Package auth implements authentication and authorization.
//
// An Authenticator determines the User from a request's credentials. The request may then
// impersonate another user (Impersonation). An Authorizer decides whether the User may do what the
// request's Attributes describe. RBAC is the Authorizer for the Roles, ClusterRoles and bindings in
// the store.
//
// # Invariants
//
//   - Reasons and messages are those of kube-apiserver, as recorded in recordings-rbac.
//   - Users cannot grant rights that they do not have, unless a rule allows it (escalate, bind).
//   - RBAC sees every commit, so a role or binding takes effect as soon as it is written.
//
// # Costs
//
// RBAC keeps roles decoded and bindings indexed by subject: a request costs the bindings that apply
// to its user. A write of a role or binding costs the size of that object.
package auth
