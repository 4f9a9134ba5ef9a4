// Package terminal is the panel of the terminal before its scripts are there: they are loaded when it is first shown
// (terminal.js), and take it over. What runs the commands is in web/terminal.
//
// Invariant: what is typed into it before that stays.
package terminal

//go:generate go tool templ generate -path .
