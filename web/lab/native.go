//go:build !js

package lab

import "github.com/tabernetes/tabernetes/web/app"

// Outside of a page no panel runs.
var startLessons func(*app.App)
