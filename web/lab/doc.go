// Package lab is the table of the lab's panels, and the program that runs them.
//
// Adding a panel is a folder below web/panels (a templ component, what it knows
// and draws, its golden tests, and the part that runs in the page) and a row of
// the table. What panels run on, and how they hear of each other, is web/app.
package lab
