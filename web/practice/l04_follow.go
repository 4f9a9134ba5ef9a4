//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// What the draws about watches share (lessons 4 to 7): writes to Secrets, and the events
// that somebody expects of them.

// A followed is an event that somebody expects of a watch: its type and the name of its
// object, either of which may be empty: then it does not matter.
type followed struct{ kind, name string }

// followedText returns which events come, in their order.
func followedText(list []followed) string {
	if len(list) == 0 {
		return "Nothing"
	}
	var words []string
	for _, e := range list {
		var parts []string
		for _, s := range []string{e.kind, e.name} {
			if s != "" {
				parts = append(parts, "`"+s+"`")
			}
		}
		words = append(words, strings.Join(parts, " "))
	}
	return strings.Join(words, ", ")
}

// followedFacts returns the conditions under which just these events came in a watch.
func followedFacts(watch string, list []followed) string {
	out := fmt.Sprintf("  %s.response.events.length = %d\n", watch, len(list))
	for i, e := range list {
		if e.kind != "" {
			out += fmt.Sprintf("  %s.response.events[%d].type = %s\n", watch, i, e.kind)
		}
		if e.name != "" {
			out += fmt.Sprintf("  %s.response.events[%d].object.metadata.name = %s\n", watch, i, e.name)
		}
	}
	return out
}

// A followBelief is a choice: what somebody believes, what has to be seen if that is
// right, and what to reply if it is not.
type followBelief struct{ text, facts, reply string }

// followChoices writes choices. Of those that come to the same, only the first is there,
// so the truth has to be first. It reports false if fewer than three are left.
func followChoices(list ...followBelief) (string, bool) {
	var out string
	seen := map[string]bool{}
	for _, b := range list {
		if len(seen) == 4 || seen[b.facts] {
			continue
		}
		seen[b.facts] = true
		out += "- " + b.text + "\n" + b.facts
		if b.reply != "" {
			out += fmt.Sprintf("  reply %q\n", b.reply)
		}
	}
	return strings.TrimSuffix(out, "\n"), len(seen) >= 3
}

// followExpect returns the belief that a watch delivers certain events.
func followExpect(watch string, list []followed, reply string) followBelief {
	return followBelief{followedText(list), followedFacts(watch, list), reply}
}

// A followWrite is a write to a Secret: create, change or delete.
type followWrite struct{ verb, name string }

// followEvents are the types of the events of writes.
var followEvents = map[string]string{"create": "ADDED", "change": "MODIFIED", "delete": "DELETED"}

func (w followWrite) event() followed { return followed{followEvents[w.verb], w.name} }

// request returns the request of the write, called name. No two of a situation write the same.
func (w followWrite) request(namespace, name string) string {
	path := "/api/v1/namespaces/" + namespace + "/secrets"
	head := "# @name " + name + "\n"
	switch w.verb {
	case "create":
		return head + fmt.Sprintf("POST %s\n\n{\"metadata\": {\"name\": %q}}", path, w.name)
	case "change":
		return head + fmt.Sprintf("PATCH %s/%s\nContent-Type: application/merge-patch+json\n\n{\"metadata\": "+
			"{\"labels\": {\"by\": %q}}}",
			path, w.name, name)
	}
	return head + fmt.Sprintf("DELETE %s/%s", path, w.name)
}

// row returns the row of a check that finds the write.
func (w followWrite) row(namespace, name, text string) string {
	path := "/api/v1/namespaces/" + namespace + "/secrets"
	row := fmt.Sprintf("- %s\n  %s: ", text, name)
	switch w.verb {
	case "create":
		return row + fmt.Sprintf("POST %s -> 201\n  request.body.metadata.name = %s", path, w.name)
	case "change":
		return row + fmt.Sprintf("PATCH %s/%s -> 200", path, w.name)
	}
	return row + fmt.Sprintf("DELETE %s/%s -> 200", path, w.name)
}

// followRequests joins requests to a block.
func followRequests(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), "\n\n###\n")
}

// followScript draws writes to Secrets of which some exist. They all succeed and all
// change something.
func followScript(r *rand.Rand, exist []string, names []string, n int) []followWrite {
	there := map[string]bool{}
	for _, name := range exist {
		there[name] = true
	}
	var out []followWrite
	for range n {
		name := pick(r, names...)
		w := followWrite{"create", name}
		if there[name] {
			w.verb = pick(r, "change", "change", "delete")
		}
		there[name] = w.verb != "delete"
		out = append(out, w)
	}
	return out
}

// followState are ADDED events for what exists after writes.
func followState(exist []string, writes []followWrite) []followed {
	there := map[string]bool{}
	for _, name := range exist {
		there[name] = true
	}
	for _, w := range writes {
		there[w.name] = w.verb != "delete"
	}
	var out []followed
	for name, is := range there {
		if is {
			out = append(out, followed{"ADDED", name})
		}
	}
	slices.SortFunc(out, func(a, b followed) int { return strings.Compare(a.name, b.name) })
	return out
}

// followAll returns the events of writes.
func followAll(writes []followWrite) []followed {
	var out []followed
	for _, w := range writes {
		out = append(out, w.event())
	}
	return out
}

// followNames returns `a`, `b`, `c`.
func followNames(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

// followAdded are ADDED events of names.
func followAdded(names []string) []followed {
	var out []followed
	for _, name := range names {
		out = append(out, followed{"ADDED", name})
	}
	return out
}
