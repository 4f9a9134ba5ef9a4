// Package lesson is the column at the left: it marks on the page what of a lesson
// is done, sends its requests, and keeps its bar. The lessons themselves, and what
// they look like, are package web/lesson.
package lesson

import "github.com/tabernetes/tabernetes/web/app"

// Start runs the panel in a page; nil where there is none.
var Start func(*app.App)
