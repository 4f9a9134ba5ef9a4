// Package live has what the members of a room do at present: who follows the room, what view is shown
// to all, and how far each member has come. Nothing of it is stored.
//
// A Hub keeps the present state, a Follower reads it as frames of JSON, one per line: at first all of
// it, then every change.
//
//	{"type":"HELLO","epoch":"9f…","you":"ada-x","role":"learner"}   first; another epoch: the hub is new
//	{"type":"MEMBER","member":{"name":"ada-x","displayName":"Ada","role":"learner","here":1}}
//	{"type":"MEMBER","member":{"name":"ada-x","gone":true}}          "left":true if it has left by itself
//	{"type":"SHOW","show":{"by":"teacher","view":{…}}}               "show":null: nobody shows anything
//	{"type":"PROGRESS","member":"ada-x","progress":{…}}              to teachers and the member itself
//	{"type":"SYNCED"}                                                after the first state
//	{"type":"USAGE","member":"ada-x","usage":{…}}                    to teachers and the member itself, after that
//	{"type":"BEAT"}                                                  every 15 seconds, if wanted
//
// A host may put a hub in the place of one that it has forgotten, with Restore: followers that it has kept
// continue with it, and it has the same epoch.
//
// Invariants: a Follower gets the newest state of each thing, in the order of the last changes; what changes
// twice before it reads is sent once. A Follower whose member has another role, or whose token is revoked, gets
// no further frame; one whose member is gone gets the frame that says so, and no other. Only the member who
// leads the room shows a view; it is withdrawn when that member no longer leads.
//
// Costs: the hub's memory is that of its members, three frames for each, and a few words for each Follower:
// a slow reader delays nobody and costs no more than a fast one. A frame is encoded once per change.
// A change costs a signal to each Follower that it concerns, and reading costs the changes since the
// last reading, at most ten times a second.
package live
