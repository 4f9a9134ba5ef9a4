// Package header is the bar across the top of the lab: whether the cluster is saved, which cluster
// requests go to, and the buttons of the menus.
package header

import "github.com/tabernetes/tabernetes/web/app"

//go:generate go tool templ generate -path .

// Start runs the panel in a page; nil where there is none.
var Start func(*app.App)
