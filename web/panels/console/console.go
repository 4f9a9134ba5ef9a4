// Package console is the lab's panel of that name: a line for a method and a path, with completion, an
// editor for bodies, and buttons that show and send the request.
//
// Input that is no API path is never sent: the panel says what to type instead (understand), and for
// some kubectl commands which request they would send (translate). Completion costs what web/catalog
// says.
package console

//go:generate go tool templ generate -path .
