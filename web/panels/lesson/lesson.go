// Package lesson is the lab's column of lessons: the course's list, the lesson or the
// practice question that is open with the bar below it, and the pages of practice, exam and
// progress.
//
// The model is in web/lesson/session and web/course; here it is wired to the document and to the
// page's traffic. What was rendered when the page was built (the texts of lessons) is
// marked, and filled in where something happens; other lessons are fetched when they are
// opened, and stay.
//
// Costs: a tap event is looked at by every lesson that is loaded, and by its checks a
// moment later, once for all events that come until then.
package lesson

import "github.com/tabernetes/tabernetes/web/app"

// Start runs the panel in a page; nil where there is none.
var Start func(*app.App)
