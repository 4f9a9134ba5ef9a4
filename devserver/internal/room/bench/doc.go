// Package bench measures a room with many followers: how many writes it takes, how long commits
// take to arrive at each follower, and what that costs the server. README.md has results, and what
// follows from them for many rooms.
//
// Run opens a room in a server, lets members join, opens the relay for each follower, and lets the
// writers write in turns of different pace. The time of a commit is the one that the server says, so
// server and followers have to be on one machine, or on clocks that agree.
//
// Invariants: a commit counts only if every follower has got it, and Run fails otherwise. Followers
// only find the revision and the time in a line, so that they cost little beside the server.
package bench
