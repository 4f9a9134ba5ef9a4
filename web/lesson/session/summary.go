package session

import (
	"fmt"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A Summary has the main facts of an answer, for one line.
type Summary struct {
	Text    string // "PodList, 3 items", "Pod web-x7f3k", "Success"
	Version string
	// List says that the answer is a list.
	List bool
}

// summary returns the summary of the exchange's body.
func summary(x *tap.Exchange) Summary {
	body := x.JSON()
	if body == nil {
		return Summary{}
	}
	get := func(path ...string) (any, bool) {
		v := body
		for _, name := range path {
			var ok bool
			if v, ok = format.Named(v, name); !ok {
				return nil, false
			}
		}
		return v, true
	}
	str := func(path ...string) string {
		v, ok := get(path...)
		if !ok {
			return ""
		}
		return format.TextOf(v)
	}
	f := Summary{Text: str("kind"), Version: str("metadata", "resourceVersion")}
	if f.Text == "Status" {
		f.Text = str("status")
	}
	if name := str("metadata", "name"); name != "" {
		f.Text += " " + name
	}
	if items, ok := get("items"); ok {
		f.List = true
		n := 0
		if list, ok := items.([]any); ok {
			n = len(list)
		}
		f.Text += fmt.Sprintf(", %s items", format.Grouped(n))
		if n == 1 {
			f.Text = str("kind") + ", 1 item"
		}
		if more := str("metadata", "remainingItemCount"); more != "" {
			f.Text += ", " + more + " remain"
		}
	}
	return f
}
