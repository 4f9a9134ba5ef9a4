package present

import (
	"strings"

	"github.com/a-h/templ"
)

// sentence returns a sentence as HTML: its halves, in which `code` is marked. A template would put spaces between them.
func sentence(text string) string {
	head, tail := halves(text)
	s := `<span class="present-first">` + code(head) + `</span>`
	if tail != "" {
		s += `<span class="present-second">` + code(tail) + `</span>`
	}
	return s
}

// code returns text as HTML, in which `code` is marked.
func code(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if part = templ.EscapeString(part); i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return b.String()
}

// halves splits a sentence where its second half begins: behind a colon, or behind the first sentence of two. A number
// with its colon is no half.
func halves(text string) (head, tail string) {
	for _, sep := range [...]string{": ", ". "} {
		if head, tail, ok := strings.Cut(text, sep); ok && tail != "" && strings.Trim(head, "0123456789") != "" {
			return head + sep[:1], " " + tail
		}
	}
	return text, ""
}

// keys are the keys of the presenter, besides those of its foot.
var keys = []struct {
	keys []string
	does string
}{
	{[]string{"C"}, "compact"},
	{[]string{"X"}, "cut the lane, or all"},
	{[]string{"G"}, "lag its server by 5 s"},
	{[]string{"F"}, "freeze its server"},
	{[]string{"S"}, "restart its server"},
	{[]string{"A"}, "list again"},
	{[]string{"[", "]"}, "choose a lane"},
	{[]string{"J", "K"}, "choose a request"},
	{[]string{"Home", "End"}, "oldest, newest"},
	{[]string{"+", "−"}, "zoom"},
	{[]string{"U"}, "undo"},
	{[]string{"B"}, "back one step"},
}
