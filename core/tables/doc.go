// Package tables shows objects as people read them: in rows. It has the columns of
// every kind, and makes the cells that an API server puts into a Table for them, as
// kubectl prints them.
//
// A kind is one row of a list (the files named after API groups): its columns, and
// the function that makes its cells. Kinds without a row have a table of names and
// creation times; custom resources have the columns of their definitions
// (custom.go), whose cells are found by JSONPath (path.go).
//
// Cells are of the types that the real server gives them, which are not always
// those of their columns: a number in a column of strings is a number. What the
// cells tell of time is relative to an instant that the caller gives.
package tables
