// Package page is the whole HTML document as it is before any script has run, made from the table of
// panels. The site's builder renders it (devserver/shell); its panels show their skeletons until the
// lab has started.
//
// Invariant: it satisfies its own Content-Security-Policy, so it has no inline scripts and styles.
package page

//go:generate go tool templ generate -path .

// A Key is a line of Help's list of keys.
type Key struct {
	Keys []string
	Does string
}

// keys are those of the whole page; none of them acts while something is typed.
// Each panel adds its own from the table.
var keys = []Key{
	{[]string{"?"}, "this help"},
	{[]string{"/"}, "write a request"},
	{[]string{"J", "K"}, "next and previous request"},
	{[]string{"[", "]"}, "previous and next lane"},
	{[]string{"←", "→"}, "previous and next revision; while travelling, the playhead"},
	{[]string{"Shift", "Enter"}, "on the stage: compare with the revision that is chosen; so does a click with Shift"},
	{[]string{"Home"}, "travel to the oldest revision"},
	{[]string{"End", "L"}, "back to live"},
	{[]string{"Space"}, "pause; while travelling, play, and with Shift four times as fast"},
	{[]string{"+", "−", "0"}, "zoom, and fit all"},
	{[]string{"P"}, "presenter, with / for commands and ? for its keys; Escape leaves"},
	{[]string{"Space", "B"}, "while a scene plays: next step, back one step"},
	{[]string{"U"}, "undo a lever"},
	{[]string{"T"}, "the stage as tables"},
	{[]string{"R", "N"}, "run the lesson’s step, next step"},
	{[]string{"Ctrl", "Enter"}, "send the request"},
	{[]string{"Esc", "Tab"}, "leave the editor, one after another"},
	{[]string{"Esc"}, "clear the selection"},
}
