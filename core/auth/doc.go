// Package auth knows who makes a request and what they may do.
//
// A request comes with credentials, which an Authenticator turns into a User; it
// may put on another identity; and then an Authorizer is asked whether that user
// may do what the request's Attributes say. RBAC is the Authorizer that goes by
// the Roles, ClusterRoles and bindings of the store: it keeps them decoded and
// indexed by who they are for, and is told of every commit, so that a request
// costs no more than the bindings of its own user.
//
// Reasons and messages are those of kube-apiserver, which the recordings in
// recordings-rbac show.
package auth
