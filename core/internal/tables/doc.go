// Package tables makes the rows of Tables: it has the columns of every kind, and makes the cells
// that an API server puts into a Table, as kubectl prints them.
//
// A kind is one entry of a list (the files are named after API groups): its columns, and the
// function that makes its cells. Kinds without an entry have the columns Name and Created At;
// custom resources have the columns of their definitions (custom.go), whose cells are found by
// JSONPath (path.go).
//
// Invariants: cells have the types of the real server, which are not always those of their columns:
// a number in a column of strings is a number. Ages are relative to a time that the caller gives,
// so the same object and time make the same cells.
//
// A row costs the fields that its cells show.
package tables
