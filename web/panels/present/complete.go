package present

import (
	"slices"
	"strings"
)

// An Option is a line that a command may become.
type Option struct{ Line, Does string }

// shownOptions is how many options are offered at a time.
const shownOptions = 3

// Complete returns what a line that is typed so far may become, the likeliest first.
func Complete(typed string, c Context) []Option {
	typed = strings.TrimLeft(typed, " ")
	if typed == "" {
		return nil
	}
	var out []Option
	add := func(line, does string) {
		known := slices.ContainsFunc(out, func(o Option) bool { return o.Line == line })
		if len(out) < shownOptions && strings.HasPrefix(line, typed) && line != typed && !known {
			out = append(out, Option{line, does})
		}
	}
	if strings.HasPrefix(typed, "/") {
		if c.Catalog != nil {
			for _, o := range c.Catalog.Complete("GET", typed, c.Known) {
				add(o.Value, o.Note)
			}
		}
		return out
	}
	for _, v := range verbs {
		if !strings.HasPrefix(v.name, typed) && !strings.HasPrefix(typed, v.name) {
			continue
		}
		for i, end := range v.offers(c) {
			does := v.does
			if i > 0 && len(out) > 0 {
				does = "the same for" + end
			}
			add(v.name+end, does)
		}
	}
	if head := "get "; strings.HasPrefix(head, typed) || strings.HasPrefix(typed, head) {
		completeGet(typed, c, add)
	}
	return out
}

// usual are resource types that are offered first.
var usual = []string{"pods", "configmaps", "secrets", "deployments", "namespaces"}

// completeGet offers ends of get.
func completeGet(typed string, c Context, add func(line, does string)) {
	words := strings.Fields(typed)
	if len(words) > 2 || len(words) == 2 && strings.HasSuffix(typed, " ") {
		base := strings.Join(words[:2], " ")
		for _, flag := range [...]struct{ end, does string }{
			{" -w", "list, then watch from there"}, {" -A", "in all namespaces"}, {" -A -w", "list all, then watch"},
		} {
			add(base+flag.end, flag.does)
		}
		return
	}
	for _, name := range usual {
		add("get "+name, "list them, as kubectl does")
		add("get "+name+" -w", "list, then watch from there")
	}
	if c.Catalog != nil {
		for _, r := range c.Catalog.Preferred() {
			add("get "+r.Plural, "list them, as kubectl does")
		}
	}
}
