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

// An expectedEvent is an event that a learner expects of a watch: its type and the name of its object. An empty field
// is not compared.
type expectedEvent struct{ kind, name string }

// eventsText returns events as the text of a choice.
func eventsText(list []expectedEvent) string {
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

// eventsConditions returns the conditions under which a watch delivered exactly these events.
func eventsConditions(watch string, list []expectedEvent) []string {
	out := []string{fmt.Sprintf("%s.response.events.length = %d", watch, len(list))}
	for i, e := range list {
		if e.kind != "" {
			out = append(out, fmt.Sprintf("%s.response.events[%d].type = %s", watch, i, e.kind))
		}
		if e.name != "" {
			out = append(out, fmt.Sprintf("%s.response.events[%d].object.metadata.name = %s", watch, i, e.name))
		}
	}
	return out
}

// eventsChoice returns the choice that a watch delivers exactly these events.
func eventsChoice(watch string, list []expectedEvent, reply string) choice {
	return choice{outcome{eventsText(list), eventsConditions(watch, list)}, reply}
}

// A secretWrite is a write to a Secret: create, change or delete.
type secretWrite struct{ verb, name string }

// eventTypes are the types of watch events, by the verb of the write.
var eventTypes = map[string]string{"create": "ADDED", "change": "MODIFIED", "delete": "DELETED"}

func (w secretWrite) event() expectedEvent { return expectedEvent{eventTypes[w.verb], w.name} }

// request returns the write as a request of that name. No two requests of a situation write the same.
func (w secretWrite) request(namespace, name string) string {
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

// joinRequests joins requests, leaving out empty ones.
func joinRequests(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), "\n\n###\n")
}

// drawWrites draws n writes to Secrets, of which some exist. Each of them succeeds and changes something.
func drawWrites(r *rand.Rand, exist []string, names []string, n int) []secretWrite {
	there := map[string]bool{}
	for _, name := range exist {
		there[name] = true
	}
	var out []secretWrite
	for range n {
		name := pick(r, names...)
		w := secretWrite{"create", name}
		if there[name] {
			w.verb = pick(r, "change", "change", "delete")
		}
		there[name] = w.verb != "delete"
		out = append(out, w)
	}
	return out
}

// stateEvents returns an ADDED event for each Secret that exists after writes.
func stateEvents(exist []string, writes []secretWrite) []expectedEvent {
	there := map[string]bool{}
	for _, name := range exist {
		there[name] = true
	}
	for _, w := range writes {
		there[w.name] = w.verb != "delete"
	}
	var out []expectedEvent
	for name, is := range there {
		if is {
			out = append(out, expectedEvent{"ADDED", name})
		}
	}
	slices.SortFunc(out, func(a, b expectedEvent) int { return strings.Compare(a.name, b.name) })
	return out
}

// writeEvents returns the events of writes.
func writeEvents(writes []secretWrite) []expectedEvent {
	var out []expectedEvent
	for _, w := range writes {
		out = append(out, w.event())
	}
	return out
}

// quoteNames returns names in Markdown: `a`, `b`, `c`.
func quoteNames(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

// addedEvents returns an ADDED event for each name.
func addedEvents(names []string) []expectedEvent {
	var out []expectedEvent
	for _, name := range names {
		out = append(out, expectedEvent{"ADDED", name})
	}
	return out
}
