// Package course is the model of what joins the lessons: the index of lessons and practice templates,
// situations to practise with, the queue that says when which is due, the exam, and a learner's
// progress as a file.
//
// Invariants:
//   - It is portable and keeps no state: no DOM, no clock, no randomness. Days and seeds are
//     given to it.
//   - A template's seed always gives the same situation, and an exam's seed the same exam, so both can
//     be shared and repeated.
//
// Costs: a template with all its situations is fetched when the first of them is needed; a situation
// is then filled in and parsed, which costs the length of its text.
package course

//go:generate go tool templ generate -path .
