// Package view draws a lesson: its text as the page is built with it, and what the lab draws over that, which are the
// bar below it, the chips of its requests, scores of goals, and why a step cannot pass. The style sheets are in style.
//
// Invariants: everything here is a function of its arguments. What a component draws is found again by its ids and
// data attributes; nothing on the page tells the right choice of a question from the others.
//
// Costs: the text is drawn when the site is built. A bar costs the steps of its lesson.
package view

//go:generate go tool templ generate -path .
