// Package share is the panel that makes links and files of what the page has, and opens those of others, before its
// script is there: share.js, which is loaded when the panel is first shown, and fills it.
package share

//go:generate go tool templ generate -path .
