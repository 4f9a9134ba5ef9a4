// Package tables shows objects as rows: it has the columns of every kind, and makes the cells that an
// API server puts into a Table for them, as kubectl prints them.
//
// A kind is one entry of a list (the files are named after API groups): its columns, and the function
// that makes its cells. Kinds without an entry have names and creation times; custom resources have
// the columns of their definitions (custom.go), whose cells are found by JSONPath (path.go).
//
// Invariants: cells have the types that the real server gives them, which are not always those of
// their columns: a number in a column of strings is a number. Ages are relative to a time that the
// caller gives, so the same object and time make the same cells.
//
// A row costs the fields that its cells show.
package tables
