// Package stage draws the lab's picture of a cluster: a ruler of revisions, the API servers' watch caches, the clients
// that watch, and the lists that are read in pages, all on one axis of revisions.
//
// Package timeline has what happened, a Camera says which part of the axis is in view, and a Scene turns both into SVG
// text, row by row. A panel says what pointers and keys mean, and what is in view. All of that is portable; screen.go
// alone, which is built for js/wasm, reads the browser's events and puts the text into the page.
//
// Words: the wall is the end of what etcd has compacted, on the ruler; an edge is the same in one row, where the buffer
// of its type begins, and a tank is how full that is; the playhead is the revision that is travelled to; a
// thread joins a chosen revision's marks in all rows; a fold is a run of revisions that is drawn as one box; a link
// leads from an event to a program's write that came after it, and links one after another are a chain.
//
// Invariants:
//   - A revision has one x, whatever row draws it: all rows share a View.
//   - Shape and place say what a mark is; colour only repeats it.
//   - Signs and words cover neither signs nor words: each row has a room, in which they take their places (room.go).
//   - What is drawn can be read as a table too (tables.templ), and each row as a sentence (words.go).
//
// Costs: drawing a row costs what is visible of it. Marks of one kind are one path; where a revision is narrower than a
// mark, marks become counts. So a row has a dozen elements for 5 revisions or for 100,000, and a frame in which nothing
// changed writes nothing.
package stage

//go:generate go tool templ generate -path .
