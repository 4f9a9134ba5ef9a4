// Package hostile tests that nobody takes a server of rooms from the others: it has no code but tests.
//
// TestHostileClass starts a devserver in its own process, and TestHostileClassAtTheEdge the engine of the rooms at
// the edge. In a room there is a teacher, and a learner who works. Against them are a stranger, somebody who opens
// another room, and learners who join, fill, flood, nest, hold and send values as much as they can: natively all of
// them at the same time, at the edge, where all rooms of a machine share one thread, one kind after another.
//
// Meanwhile the learner creates objects, others join and watch, and the teacher governs: freezes the room, invites,
// ends a link, removes who floods and what it made. Natively a create takes at most 20 ms as the median, or four
// times as long as one on a server that nobody attacks, at the same time. If other processes have a part of the
// machine's time, these 20 ms are longer by as much. Make test-long, on a machine at rest, checks that; make test,
// which must pass on any machine, allows ten times 20 ms.
//
// TestHostileValues has bodies with the most values for their length, in each encoding, and compares the memory that
// the process takes with memory.Bound.
//
// TestHostileRooms has many rooms whose teachers are hostile themselves, within the memory that devserver/README.md
// promises. The attacks on a class have their own bounds, which are lower: ofClass, and ofClassAtTheEdge.
//
// Attackers and honest people come from different addresses of loopback.
package hostile
