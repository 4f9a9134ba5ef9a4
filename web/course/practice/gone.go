//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// oldCopy draws what a client has in its memory, and what has happened to these objects.
func oldCopy(r *rand.Rand) Values {
	names := shuffled(r, "a", "b", "c", "d", "e", "f", "g")
	n := between(r, 5, 7)
	memory, now := map[string]string{}, map[string]string{}
	same := names[0]
	for i, name := range names[:n] {
		value := fmt.Sprint(between(r, 1, 4))
		fate := []string{"same", "gone", "changed", "new"}[min(i, 3)]
		if i > 3 {
			fate = pick(r, "same", "gone", "changed", "new")
		}
		if fate != "new" {
			memory[name] = value
		}
		switch fate {
		case "same", "new":
			now[name] = value
		case "changed":
			now[name] = value + "0"
		}
	}
	sorted := func(m map[string]string) []string {
		var out []string
		for name := range m {
			out = append(out, name)
		}
		slices.Sort(out)
		return out
	}
	create := func(namespace, called, name, value string) string {
		return fmt.Sprintf("# @name %s\nPOST /api/v1/namespaces/%s/secrets\n\n"+
			"{\"metadata\": {\"name\": %q, \"labels\": {\"v\": %q}}}",
			called, namespace, name, value)
	}
	var setup, solution, labels []string
	for _, name := range sorted(now) {
		setup = append(setup, create("old-copy", "now-"+name, name, now[name]))
		labels = append(labels, now[name])
	}
	for _, name := range sorted(memory) {
		setup = append(setup, create("old-copy-b", "had-"+name, name, memory[name]))
	}
	solution = append(solution, "# @name now\nGET /api/v1/namespaces/old-copy/secrets")
	for _, name := range names {
		was, is := memory[name], now[name]
		path := "/api/v1/namespaces/old-copy-b/secrets/" + name
		switch {
		case was == is:
		case is == "":
			solution = append(solution, "DELETE "+path)
		case was == "":
			solution = append(solution, create("old-copy-b", "add-"+name, name, is))
		default:
			solution = append(solution, "PATCH "+path+"\nContent-Type: application/merge-patch+json\n\n"+
				fmt.Sprintf("{\"metadata\": {\"labels\": {\"v\": %q}}}", is))
		}
	}
	solution = append(solution, "# @name memory\nGET /api/v1/namespaces/old-copy-b/secrets")
	list := func(words []string) string { return fmt.Sprintf("%q", `["`+strings.Join(words, `","`)+`"]`) }
	return Values{
		"setup": joinRequests(setup...), "solution": joinRequests(solution...), "names": list(sorted(now)),
		"labels": list(labels),
		"same":   same,
		"index":  fmt.Sprint(slices.Index(sorted(now), same)),
	}
}
