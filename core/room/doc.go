// Package room makes a cluster a room, which several people share: members, their roles, and
// their bearer tokens. It is an extension of package core's clusters: extension.go has all that it adds.
//
// All of it is API objects, so the lab, kubectl and curl use it in the same way. The Room named
// default has the settings. A Member is a person or a program, with a role. A RoomToken says
// whose a bearer token is: a member's, or an invitation's. Rights are those of RBAC: a role is a
// group, Objects returns its bindings, and a teacher may bind more to it.
//
//	POST .../rooms/default/invite {"role": "learner"}   returns the token of an invitation
//	POST .../rooms/default/join {"displayName": "Ada"}  creates a member, with an invitation's token
//	POST .../members/NAME/token                         returns another token of a member
//	POST .../members/NAME/rename {"displayName": "A."}  changes what a member is called, by itself
//	POST .../members/NAME/leave                         deletes a member and its tokens, by itself
//	GET  .../rooms/default/follow                       streams who is here, what is shown, how far members are
//	POST .../rooms/default/show {"view": {…}}           shows a view to all, by who leads the room
//	POST .../rooms/default/report {"progress": {…}}     tells teachers how far a member has come
//	GET  .../rooms/default/usage                        returns what members take
//	POST .../rooms/default/purge {"member": "ada-x"}    removes what a member has created
//
// What is shown and reported, and who is here, is in package live: it belongs to the server, not to
// the cluster, and is not stored.
//
// Invariants: a token has 128 random bits and is returned once; only its SHA-256 hash is stored. When
// its RoomToken or its Member is deleted, a token is invalid at once. A member who joins has the role
// of the invitation. While a room is frozen only teachers write. A follow stream ends with the right
// to it. What Restrict refuses no role allows. A room keeps a teacher, and no two members have one
// name. However full it is, teachers can govern it.
//
// Shares bound what each member takes of the server, so that none slows the others down, and the ledger
// bounds what it stores.
//
// Checking a token costs a hash and two map lookups, a share a lock, a write's account a few lookups.
// A write of a Member or a RoomToken costs the size of that object, and a signal to each follower.
package room
