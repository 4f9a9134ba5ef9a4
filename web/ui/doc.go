// Package ui holds the lab's markup: the page's shell, rendered at build time,
// and the parts of the panels that change, rendered in the page.
//
// Everything here is a function of its arguments. The page's policy allows no
// inline style or script, so no component has one. What a component draws is
// found again by its ids: the panels fill them, web/style/*.css dresses them.
package ui

//go:generate go tool templ generate -path .
