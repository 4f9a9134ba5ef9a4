// Package relay gives the members of a room its log of commits over one connection each, and
// applies it in a copy of the room, such as one in a browser's tab.
//
//	GET .../rooms/default/relay?cluster=UID&rights=KEY&since=N   returns a stream of Lines
//
// A stream begins with a HELLO. If the client has the commits up to N of the same cluster, with the
// same rights, the later ones follow. Otherwise a snapshot follows: every retained version, and a
// SYNCED. Then come commits as they are made. With beats=false a stream is silent while nothing is
// committed; otherwise it has a BEAT at least every 15 seconds.
//
// # Invariants
//
//   - A member is relayed the objects of the resource types that it may both list and watch, in the
//     namespaces where it may. RoomTokens are relayed to nobody.
//   - Of a commit that a member may not see, it gets the revision and the time, so that revisions in
//     a copy are those of the room. Of a CustomResourceDefinition it gets what discovery and the
//     OpenAPI documents show to everybody.
//   - When a member's rights change, its stream ends before anything is sent that only the old rights
//     allow, and the next one begins with a snapshot.
//   - A copy that has followed up to a revision answers gets, lists and watches as the room does at
//     that revision to that member.
//
// # Costs
//
// Commits are encoded once for all members with the same rights, and the latest are kept, up to
// ringBytes for each set of rights. A client that is slower than that has its lines encoded for
// itself, from the store; one that is slower than compaction has to begin again. Neither delays
// anybody. A round wakes every stream, and each copies the lines that it sends; between two rounds lies
// breath for each stream, so that many commits in a row cost few rounds. A snapshot costs a look at every
// key, and its lines are encoded piece by piece as they are sent.
package relay
