package stage

import "github.com/tabernetes/tabernetes/web/app"

// Start runs the panel in a page; nil where there is none.
var Start func(*app.App)
