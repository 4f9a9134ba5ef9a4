// Package lesson is the model of the lab's lessons: it parses a lesson's
// Markdown source, runs its http blocks, and decides from what a client did and
// what the server answered (tap.Event) which steps are passed.
//
// The package is portable: no DOM, no files, no Markdown renderer. The page
// wires it to the document (web/panels/lesson), tests play lessons against an
// http.Handler, and package markdown renders the prose at build time. The
// format of a lesson is described in web/lessons/README.md.
//
// Invariants:
//   - A check looks at exchanges (a request and its answer) and never at what
//     was typed or which button was pressed, so a step passes the same way from
//     the console, a Run button or a fetch in the browser's developer tools.
//   - Steps pass in order. A step counts only what happened after the step
//     before it passed.
//   - What a step has found so far survives a reload of the page (Progress), as
//     long as the cluster is the same.
//   - Settings of the control plane change only as Changes says: what the lesson
//     requires, and what is to be given back.
//   - Parse accepts only lessons whose every reference leads somewhere, so a
//     broken lesson fails the build and not the learner.
//
// Costs: a Session has the log hold the exchanges that its lesson's checks
// could match (see tap.Log), and an answer's JSON is parsed at most once, when a
// check first asks for a value in it. Recheck costs a backtracking search over
// those exchanges, itself bounded.
package lesson

//go:generate go tool templ generate -path .
