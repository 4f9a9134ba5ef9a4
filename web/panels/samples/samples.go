// Package samples writes sample objects into the cluster: manifests, and many pods at
// once. It uses the API like any client; the data is in web/samples.
package samples

import "github.com/tabernetes/tabernetes/web/app"

//go:generate go tool templ generate -path .

// Start runs the panel in a page; nil where there is none.
var Start func(*app.App)
