//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// streamingLists are the generators of lesson 8.
var streamingLists = map[string]Generator{"p08a": p08a, "p08b": p08b}

// queryLines returns parameters as lines below a request's path.
func queryLines(parameters ...string) string {
	var out strings.Builder
	mark := "?"
	for _, p := range parameters {
		if p != "" {
			out.WriteString("\n  " + mark + p)
			mark = "&"
		}
	}
	return out.String()
}

// createSecrets returns requests that create Secrets, each request named like its Secret.
func createSecrets(space string, names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("# @name %s\nPOST /api/v1/namespaces/%s/secrets\n\n{\"metadata\": {\"name\": %q}}\n", n,
			space, n))
	}
	return strings.Join(out, "\n###\n")
}

// namesText returns names as text: `a`, `b` and `c`.
func namesText(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "`" + n + "`"
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " and " + quoted[last]
}

// A watchRequest has the parameters of a watch.
type watchRequest struct {
	sendInitialEvents, match, version string
	bookmarks                         bool
}

// Outcomes of a watchRequest.
const (
	watchRefused = iota
	watchStateAndMark
	watchState
	watchChanges
	watchNothing
)

// p08a draws the parameters of a watch. What does it deliver?
func p08a(r *rand.Rand) Values {
	a := watchRequest{sendInitialEvents: pick(r, "", "true", "true", "false"), version: pick(r, "unset", "0", "first"),
		bookmarks: r.IntN(3) > 0}
	if a.sendInitialEvents != "" {
		a.match = "NotOlderThan"
	}
	if r.IntN(4) == 0 {
		a.match = pick(r, "", "NotOlderThan", "Exact")
	}
	names := shuffled(r, "a", "b", "c", "d")[:between(r, 2, 4)]
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	valid := func(a watchRequest) bool {
		return a.sendInitialEvents == "" && a.match == "" || a.sendInitialEvents != "" && a.match == "NotOlderThan"
	}
	// comes is what comes of it, if nothing is refused.
	comes := func(a watchRequest) int {
		switch {
		case (a.sendInitialEvents == "true" || a.sendInitialEvents == "" && a.version != "first") && a.bookmarks:
			return watchStateAndMark
		case a.sendInitialEvents == "true" || a.sendInitialEvents == "" && a.version != "first":
			return watchState
		case a.version == "first":
			return watchChanges
		}
		return watchNothing
	}
	// answer is the belief in an outcome.
	answer := func(n int, reply string) choice {
		first := "w.response.events[0].object.metadata.name = "
		const mark = `w.response.events[*].object.metadata.annotations["k8s.io/initial-events-end"]`
		started := []string{"w.response.status = 200", fmt.Sprintf("w.response.events[%d].type = ADDED", len(names)-1)}
		b := []choice{
			watchRefused: {outcome: outcome{text: "It is refused: 422", conditions: []string{"w.response.status = 422"}}},
			watchStateAndMark: {outcome: outcome{text: "`ADDED` for " + namesText(sorted) + ", then an end mark",
				conditions: append(started, mark+" contains true")}},
			watchState: {outcome: outcome{text: "`ADDED` for " + namesText(sorted) + ", and no end mark",
				conditions: append(started, mark+" lacks true")}},
			watchChanges: {
				outcome: outcome{text: "`ADDED` for " + namesText(names[1:]) + " only, as they were written",
					conditions: []string{
						"w.response.status = 200", first + names[1],
						fmt.Sprintf("w.response.events[%d] is absent", len(names)-1),
					}},
			},
			watchNothing: {outcome: outcome{text: "Nothing, before something is written", conditions: []string{
				"w.response.status = 200",
				"w.response.events[0] is absent"}}},
		}[n]
		b.reply = reply
		return b
	}
	right := watchRefused
	if valid(a) {
		right = comes(a)
	}
	lenient := answer(comes(a), "A match that does not belong there is not ignored: "+
		"on a watch, `resourceVersionMatch=NotOlderThan` and `sendInitialEvents` go together or not at all.")
	marked := a
	marked.bookmarks = a.sendInitialEvents == "true"
	bySend := answer(comes(marked),
		"`sendInitialEvents` asks for the state. The end mark is a bookmark: it comes, and only comes, if "+
			"`allowWatchBookmarks=true` is there, too.")
	version := a
	version.sendInitialEvents = ""
	byVersion := answer(comes(version),
		"That considers only the version, as without `sendInitialEvents`. "+
			"`true` asks for the state from any version, `false` for none.")
	silent := a
	silent.sendInitialEvents = "false"
	news := answer(comes(silent), "A watch may deliver more than changes: "+
		"with `sendInitialEvents=true`, or without it and without a version or with 0, it begins with the state.")
	strict := answer(watchRefused, "These parameters go together: none is refused.")
	choices := writeShuffledChoices(r, answer(right, ""), lenient, bySend, byVersion, news, strict)
	if choices == "" {
		return nil
	}
	var asked []string
	add := func(name, value string) {
		if value != "" {
			asked = append(asked, name+"="+value)
		}
	}
	add("sendInitialEvents", a.sendInitialEvents)
	add("resourceVersionMatch", a.match)
	shown := ""
	switch a.version {
	case "0":
		add("resourceVersion", "0")
	case "first":
		add("resourceVersion", "{{"+names[0]+".response.body.metadata.resourceVersion}}")
		shown = fmt.Sprintf(" The `resourceVersion` is that of `%s`, the first to be created.", names[0])
	}
	if a.bookmarks {
		add("allowWatchBookmarks", "true")
	}
	parameters := "no parameters but `watch=1` and the timeout"
	if len(asked) > 0 {
		var words []string
		for _, s := range asked {
			if strings.Contains(s, "{{") {
				s = "resourceVersion=V"
			}
			words = append(words, "`"+s+"`")
		}
		parameters = strings.Join(words, ", ")
	}
	return Values{
		"setup": createSecrets("p08a", names), "order": namesText(names), "parameters": parameters, "shown": shown,
		"choices": choices,
		"query":   queryLines(append([]string{"watch=1", "timeoutSeconds=1"}, asked...)...),
	}
}

// p08b draws how far a stream was read, and what is written then. What does a watch deliver that resumes from the last
// version read?
func p08b(r *rand.Rand) Values {
	names := shuffled(r, "a", "b", "c", "d")[:between(r, 3, 4)]
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	read := between(r, 1, len(names)+1) // so many events; one more than there are names: the mark, too
	// The history: what was written, in its order.
	type write struct{ kind, name string }
	var history []write
	for _, n := range names {
		history = append(history, write{"ADDED", n})
	}
	at := len(names) // how much of the history the version has that is resumed from
	if read <= len(names) {
		at = slices.Index(names, sorted[read-1]) + 1
	}
	change := write{pick(r, "MODIFIED", "DELETED"), pick(r, names...)}
	history = append(history, change)
	known := sorted[:min(read, len(sorted))]
	// answer is the belief that the watch tells this.
	answer := func(told []write, reply string) choice {
		var words, lost, conditions []string
		for i, w := range told {
			words = append(words, fmt.Sprintf("`%s` %s", w.kind, w.name))
			conditions = append(conditions, fmt.Sprintf("resumed.response.events[%d].type = %s", i, w.kind),
				fmt.Sprintf("resumed.response.events[%d].object.metadata.name = %s", i, w.name))
		}
		conditions = append(conditions, fmt.Sprintf("resumed.response.events[%d] is absent", len(told)))
		for _, n := range sorted {
			if !slices.Contains(known, n) && !slices.ContainsFunc(told, func(w write) bool { return w.name == n }) {
				lost = append(lost, n)
			}
		}
		text := strings.Join(words, ", ") + "; "
		if len(words) == 0 {
			text = "Nothing; "
		}
		if len(lost) == 0 {
			text += "nothing is lost"
		} else {
			text += "lost: " + namesText(lost)
		}
		return choice{outcome{text, conditions}, reply}
	}
	var rest []write // of the stream
	for _, n := range sorted[len(known):] {
		rest = append(rest, write{"ADDED", n})
	}
	var again []write
	for _, n := range sorted {
		again = append(again, write{"ADDED", n})
	}
	newest := write{"ADDED", names[len(names)-1]}
	choices := writeShuffledChoices(r, answer(history[at:], ""),
		answer(append(rest, change), "That would continue the stream. A watch from a version does not know of the "+
			"stream: it delivers what was written after that version, in the order of writing."),
		answer([]write{change}, "That would be all that is written from now on. The version that is resumed from may be "+
			"older than other Secrets that existed: those are delivered."),
		answer(append(again, change),
			"That would be the state again. A watch from a version never begins with the state."),
		answer(append([]write{newest}, change),
			"The version is that of the last event that was read, and not the one just before the newest Secret."),
	)
	if choices == "" {
		return nil
	}
	events := make([]string, 0, read)
	for _, n := range known {
		events = append(events, "`ADDED` "+n)
	}
	if read > len(names) {
		events = append(events, "the end mark")
	}
	write1 := fmt.Sprintf("# @name change\nDELETE /api/v1/namespaces/p08b/secrets/%s", change.name)
	word := "deleted"
	if change.kind == "MODIFIED" {
		write1 = fmt.Sprintf("# @name change\nPATCH /api/v1/namespaces/p08b/secrets/%s\nContent-Type: "+
			"application/merge-patch+json\n\n"+
			`{"metadata": {"labels": {"changed": "yes"}}}`, change.name)
		word = "changed"
	}
	return Values{
		"setup": createSecrets("p08b", names), "order": namesText(names), "read": strings.Join(events, ", "),
		"change": write1,
		"name":   change.name, "word": word, "last": fmt.Sprint(read - 1), "choices": choices,
	}
}
