// Package room is the column of the room that the page is in, or may open or join, and the line in the
// page's bar that says what matters of it at present: whose view is followed, that the connection is
// lost, who floods the room. In the column a teacher governs the room, and everybody has the link that leads back
// into it.
//
// The model is in web/room. Here is the connection: the room's follow stream is read for as long as the
// page is in the room, whichever cluster requests go to, and opened again when it is lost; the frames
// make the page follow another's view, and tell others of this one's.
//
// Invariants: a token is in no text that is drawn, except in a link that a teacher asks for. Requests of
// this panel that have a token in their answers are not reported to the tap. Nothing is reported of a
// learner who has not asked for it. Nothing is removed or ended that was not asked about once, in its row. The browser
// asks before the tab closes only while nobody else could govern the room.
//
// Costs: while a view is shown it is compared with the page a few times a second, and sent when it differs. The column
// is drawn only while it is open, and for what members take at most three times a second. A teacher's page lists
// Members and RoomTokens when somebody joins, at most three times a second.
package room

//go:generate go tool templ generate -path .
