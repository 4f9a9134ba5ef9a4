// Package timeline is the lab's picture of a cluster's revisions: a ruler of
// resourceVersions, the watch streams and the chunked lists, all on one axis.
//
// It is portable: a Model is fed with revisions frames and tap events, a Camera
// says which part of the axis is looked at, and the drawing functions turn both
// into SVG and HTML text. Package lab puts that text into the page.
//
// Invariants:
//   - A revision has one x, whatever panel draws it: all plots share a View.
//   - Shape and letter say what an event is; colour only repeats it.
//   - What is drawn can be read as a table too (see tables.templ).
//
// Costs: an event costs O(1) to take in, whatever the length of the history.
// Drawing costs what is visible: where marks would be closer than eight pixels
// they become bins, so a frame holds a few hundred elements for 5 revisions or
// for 100,000. While the axis only glides, a frame is one transform and the
// text of the new marks.
package timeline
