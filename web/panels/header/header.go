// Package header is the bar across the top of the lab: whether the cluster is saved, which cluster
// requests go to, and the buttons of the menus.
package header

//go:generate go tool templ generate -path .
