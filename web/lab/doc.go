// Package lab is the table of the lab's panels, and the program that runs them.
//
// To add a panel, add a folder below web/panels (a templ component, what it knows and draws, its
// golden tests, and the part that runs in the page) and a row of the table. What panels run on, and
// how they learn of each other, is web/app.
//
// Main starts the panels one after another with a pause after each, so that no task of the page is
// long.
package lab
