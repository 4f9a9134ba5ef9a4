// Package scene is the model of the lab's scenes: short sequences of requests that show one behaviour of the API on the
// stage, a step at a time, with a sentence for each step. It parses a scene's source, whose format is that of lessons
// without questions (web/scenes/README.md), and fills in its sentences.
//
// A Scene is run like a lesson: by a lesson.Session, in a cluster of its own (web/panels/scenes in the page, package
// web/lesson/play in tests).
//
// Invariants:
//   - The sentence of a step is shown only after the step's check has found what it says, and its numbers are values of
//     what was sent and answered.
//   - Parse accepts only scenes whose sentences refer to something that a check has found by then.
package scene
