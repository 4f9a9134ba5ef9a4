// Package session is a learner's way through a lesson: it runs the lesson's requests, and decides from what a client
// did and what the server answered (tap.Event) which steps are passed, what is missing, and whether the way back is to
// set a step up again.
//
// The package is portable: no DOM. The page wires it to the document (web/panels/lesson), and tests play lessons
// against an http.Handler (package play).
//
// Invariants:
//   - A check looks at exchanges (a request and its answer) and never at what
//     was typed or which button was pressed, so a step passes the same way from
//     the console, a Run button or a fetch in the browser's developer tools.
//   - Steps pass in order. A step counts only what happened after the step
//     before it passed.
//   - What a step has found so far survives a reload of the page (Progress), as
//     long as the cluster is the same.
//
// Costs: a Session has the log hold the exchanges that its lesson's checks
// could match (see tap.Log), and an answer's JSON is parsed at most once, when a
// check first asks for a value in it. Recheck costs a backtracking search over
// those exchanges, itself bounded.
package session
