package present

import "strings"

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
	{[]string{"C"}, "compact etcd and the caches"},
	{[]string{"X"}, "cut the chosen lane, or all"},
	{[]string{"G"}, "lag a server by 5 s, or not"},
	{[]string{"F"}, "freeze its cache, or thaw it"},
	{[]string{"S"}, "restart it"},
	{[]string{"A"}, "list again, for the lane"},
	{[]string{"[", "]"}, "choose a lane"},
	{[]string{"J", "K"}, "choose a request"},
	{[]string{"Home", "End"}, "oldest, newest"},
	{[]string{"+", "−"}, "zoom"},
	{[]string{"U"}, "undo"},
	{[]string{"B"}, "back one step"},
}
