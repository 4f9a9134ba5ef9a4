// Package lesson is the lab's column of lessons: the course's list, the lesson or the
// practice question that is open with the bar below it, and the pages of practice, exam and
// progress.
//
// The models of a lesson and of the course are in web/lesson and web/course. What the panel decides with them is
// portable, too: lessonPanel has what is open, runs requests, and says what to show, by the few things that it needs of
// the lab and of the page (page.go). start.go, column.go, article.go and question.go, which are built for js/wasm, wire
// it to the document. What was rendered when the page was built (the texts of lessons) is marked, and filled in where
// something happens; other lessons are fetched when they are opened, and stay.
//
// Costs: a tap event is looked at by every lesson that is loaded, and by its checks a
// moment later, once for all events that come until then.
package lesson

import "github.com/tabernetes/tabernetes/web/app"

// Start runs the panel in a page. It is nil outside of a browser.
var Start func(*app.App)
