// Package ui has the blocks of markup that several panels share: answers, tables, code, rows,
// versions, options, levers. The panels' own markup is beside them.
//
// Invariants: everything here is a function of its arguments. The page's policy allows no inline style
// or script, so no component has one. What a component draws is found again by its ids and styled by
// web/style.
package ui

//go:generate go tool templ generate -path .
