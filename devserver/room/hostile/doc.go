// Package hostile tests that nobody takes a server of rooms from the others: it has no code but tests.
//
// TestHostileClass starts a devserver in a process of its own, and TestHostileClassAtTheEdge the engine of the rooms at
// the edge. In a room there is a teacher, and a learner who works. Against them are a stranger, somebody who opens a
// room of its own, and learners who join, fill, flood, nest and hold as much as they can, all of them at the same time.
// Meanwhile the learner creates objects, others join and watch, and the teacher governs: freezes the room, invites,
// ends a link, removes who floods and what it made.
//
// TestHostileRooms has many rooms whose teachers are hostile themselves. Both bound the memory of the process as
// devserver/README.md does.
//
// Attackers and honest people come from different addresses of loopback.
package hostile
