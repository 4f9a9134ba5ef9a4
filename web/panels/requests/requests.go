// Package requests is the panel that lists every request of the page, filtered, sorted and searched,
// with tools to repeat, copy, stop and save them. Its model is web/history.
//
// Costs: only the rows in view are drawn.
package requests

//go:generate go tool templ generate -path .
