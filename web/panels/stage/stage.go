package stage

import "github.com/tabernetes/tabernetes/web/app"

// Start runs the panel in a page. It is nil outside of a browser.
var Start func(*app.App)
