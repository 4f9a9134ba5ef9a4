// Package format is what a lesson says: it reads the Markdown of a lesson, its http blocks, checks, questions and
// settings, and has the paths, conditions and templates that they are written with. It reads scenes too, which are
// lessons without questions.
//
// The package is portable: no DOM, no files, no Markdown renderer, which is package markdown's at build time. The
// format is described in web/lessons/README.md, and that of scenes in web/scenes/README.md.
//
// Invariants:
//   - Parse accepts only lessons whose every reference leads somewhere, so a
//     broken lesson fails the build and not the learner.
//   - Settings of the control plane change only as Changes says: what the lesson
//     requires, and what is to be given back.
//
// Costs: a lesson is read once, in time proportional to its text. A Path costs the values that it passes.
package format
