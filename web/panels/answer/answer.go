// Package answer is the lab's panel of that name.
package answer

import "github.com/tabernetes/tabernetes/web/app"

//go:generate go tool templ generate -path .

// Start runs the panel in a page; nil where there is none.
var Start func(*app.App)
