//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// listThenWatch are the generators of lesson 4.
var listThenWatch = map[string]Generator{"p04a": p04a, "p04b": p04b, "p04c": p04c}

// cutRequest is a request that ends all watches. So a watch ends when the learner is ready, however long that takes.
const cutRequest = "# @name cut\nPOST " + wellknown.ControlPlane + "/disconnect\n\n{}"

// p04a draws writes, a list among them and a watch that is opened some writes later.
func p04a(r *rand.Rand) Values {
	exist := shuffled(r, "a", "b", "c")[:between(r, 1, 2)]
	slices.Sort(exist)
	writes := drawWrites(r, exist, []string{"a", "b", "c", "d"}, 5)
	list := between(r, 0, 2)
	watch := between(r, list+1, 4)

	var last []expectedEvent // what is left if only the last event of each object counts
	for i := list; i < len(writes); i++ {
		later := slices.ContainsFunc(writes[i+1:], func(w secretWrite) bool { return w.name == writes[i].name })
		if !later {
			last = append(last, writes[i].event())
		}
	}
	choices := writeChoices(3, maxChoices,
		eventsChoice("watch", writeEvents(writes[list:]), ""),
		eventsChoice("watch", writeEvents(writes[watch:]),
			"That assumes that it starts when it was opened. It starts at the list's version, and gets all that came "+
				"after that."),
		eventsChoice("watch", slices.Concat(stateEvents(exist, writes[:list]), writeEvents(writes[list:])),
			"That begins with the objects that existed when the list was made. "+
				"So does a watch without a version; this one starts at the list's."),
		eventsChoice("watch", last, "That combines changes of the same object. "+
			"A watch delivers each change, with the object as it was then."),
	)
	if choices == "" {
		return nil
	}
	v := Values{"exist": "`" + strings.Join(exist, "`, `") + "`", "choices": choices}
	var setup, requests, table []string
	for _, name := range exist {
		setup = append(setup, secretWrite{"create", name}.request("p04a", "had-"+name))
	}
	step := func(text string) { table = append(table, fmt.Sprintf("| %d | %s |", len(table)+1, text)) }
	for i := 0; i <= len(writes); i++ {
		if i == list {
			step("**the list**")
			requests = append(requests, "# @name list\nGET /api/v1/namespaces/p04a/secrets")
		}
		if i == watch {
			step("**the watch** is opened, at the list's version")
			requests = append(requests, "# @name watch\nGET /api/v1/namespaces/p04a/secrets\n  ?watch=1\n"+
				"  &resourceVersion={{list.response.body.metadata.resourceVersion}}")
		}
		if i < len(writes) {
			w, name := writes[i], fmt.Sprintf("w%d", i+1)
			step(w.verb + " `" + w.name + "`")
			requests = append(requests, w.request("p04a", name))
		}
	}
	step("the connection is cut")
	v["setup"], v["requests"] = joinRequests(setup...), joinRequests(append(requests, cutRequest)...)
	v["table"] = strings.Join(table, "\n")
	return v
}

// p04b draws creates before and after a watch is cut, and the version it is resumed from.
func p04b(r *rand.Rand) Values {
	names := shuffled(r, "a", "b", "c", "d", "e", "f")[:between(r, 4, 5)]
	cut := between(r, 1, len(names)-1) // so many are created while the watch is open
	from := between(r, 0, len(names)-1)
	if from > cut+1 {
		return nil
	}
	var place, version string
	switch name := fmt.Sprintf("w%d", from); {
	case from == 0:
		place, version = "its list", "list.response.body"
	case from <= cut:
		place, version = "the event of `"+names[from-1]+"`", name+".response.body"
	default:
		place = "the answer to its own create of `" + names[from-1] + "`, which it made while it had no watch"
		version = name + ".response.body"
	}
	inclusive := names[max(0, from-1):]
	choices := writeChoices(3, maxChoices,
		eventsChoice("resumed", addedEvents(names[from:]), ""),
		eventsChoice("resumed", addedEvents(names[cut:]),
			"That continues where the connection broke. The server does not know about that: it goes by the version."),
		eventsChoice("resumed", addedEvents(inclusive),
			"That includes the version itself. A watch delivers what came after it."),
		eventsChoice("resumed", nil, "That leaves out what happened without a watch. "+
			"It is in the history, and what came after the version is sent."),
		eventsChoice("resumed", addedEvents(names), "That begins at the list. What came before the version is not sent."),
	)
	if choices == "" {
		return nil
	}
	after := "It got every event once, and none twice."
	if from < cut {
		after = "Of " + quoteNames(names[from:cut]) +
			" it got twice, which does no harm if objects are stored by their names."
	}
	if from > cut {
		after = "Of " + quoteNames(names[cut:from]) + " no event will ever come. "
		if from == cut+1 {
			after += "It knows of it from its own answer; if another client had written before that, that would have been lost."
		}
	}
	var requests []string
	requests = append(requests, "# @name list\nGET /api/v1/namespaces/p04b/secrets",
		"# @name first\nGET /api/v1/namespaces/p04b/secrets\n  ?watch=1\n  "+
			"&resourceVersion={{list.response.body.metadata.resourceVersion}}")
	for i, name := range names {
		if i == cut {
			requests = append(requests, cutRequest)
		}
		requests = append(requests, secretWrite{"create", name}.request("p04b", fmt.Sprintf("w%d", i+1)))
	}
	requests = append(requests, "# @name resumed\nGET /api/v1/namespaces/p04b/secrets\n  ?watch=1\n  &timeoutSeconds=1\n"+
		"  &resourceVersion={{"+version+".metadata.resourceVersion}}")
	return Values{
		"before": quoteNames(names[:cut]), "away": quoteNames(names[cut:]), "place": place, "choices": choices,
		"after":    after,
		"requests": joinRequests(requests...),
	}
}

// A labelSelector is a selector on the label "on", as text and as in a query. wants reports whether it selects an
// object with that value of the label; "" is an object without it.
type labelSelector struct {
	text, query string
	wants       func(on string) bool
}

var labelSelectors = []labelSelector{
	{"on=y", "on%3Dy", func(on string) bool { return on == "y" }},
	{"on!=y", "on%21%3Dy", func(on string) bool { return on != "y" }},
	{"on", "on", func(on string) bool { return on != "" }},
	{"!on", "%21on", func(on string) bool { return on == "" }},
	{"on in (y,z)", "on%20in%20%28y,z%29", func(on string) bool { return on == "y" || on == "z" }},
}

// p04c draws a selector, and changes of an object that make it match or not.
func p04c(r *rand.Rand) Values {
	sel := pick(r, labelSelectors...)
	on := pick(r, "", "y", "n", "z")
	show := func(on string) string {
		if on == "" {
			return "no label `on`"
		}
		return "`on: " + on + "`"
	}
	label := func(on string) string {
		if on == "" {
			return "null"
		}
		return `"` + on + `"`
	}
	v := Values{"selector": sel.text, "query": sel.query, "first": show(on), "firstLabel": `{"x": "0"}`}
	if on != "" {
		v["firstLabel"] = `{"on": "` + on + `"}`
	}
	start := sel.wants(on)
	var truth, plain, atStart, stays []expectedEvent
	add := func(to *[]expectedEvent, kind string) { *to = append(*to, expectedEvent{kind: kind}) }
	var table, requests []string
	for i := range 3 {
		was, name := sel.wants(on), fmt.Sprintf("w%d", i+1)
		path := "/api/v1/namespaces/p04c/secrets/a"
		if i == 2 && pick(r, true, false) {
			table = append(table, fmt.Sprintf("| %d | `a` is deleted |", i+1))
			requests = append(requests, "# @name "+name+"\nDELETE "+path)
			if was {
				add(&truth, "DELETED")
				add(&plain, "DELETED")
				add(&stays, "DELETED")
			}
			if start {
				add(&atStart, "DELETED")
			}
			break
		}
		next := pick(r, "", "y", "n", "z")
		if next == on { // another label changes
			table = append(table, fmt.Sprintf("| %d | another label of `a` is changed |", i+1))
			requests = append(requests, fmt.Sprintf("# @name %s\nPATCH %s\nContent-Type: application/merge-patch+json\n\n"+
				"{\"metadata\": {\"labels\": {\"x\": %q}}}",
				name, path, name))
		} else {
			on = next
			table = append(table, fmt.Sprintf("| %d | now `a` has %s |", i+1, show(on)))
			requests = append(requests, fmt.Sprintf("# @name %s\nPATCH %s\nContent-Type: application/merge-patch+json\n\n"+
				"{\"metadata\": {\"labels\": {\"on\": %s}}}",
				name, path, label(on)))
		}
		is := sel.wants(on)
		switch {
		case was && is:
			add(&truth, "MODIFIED")
		case is:
			add(&truth, "ADDED")
		case was:
			add(&truth, "DELETED")
		}
		if is {
			add(&plain, "MODIFIED")
		}
		if was || is {
			add(&stays, "MODIFIED")
		}
		if start {
			add(&atStart, "MODIFIED")
		}
	}
	choices := writeChoices(3, maxChoices,
		eventsChoice("watch", truth, ""),
		eventsChoice("watch", plain, "That gives `MODIFIED` to each change after which the Secret matches. "+
			"The one after which it begins to match is `ADDED`, the one after which it no longer does is `DELETED`."),
		eventsChoice("watch", stays, "That gives each event the type of the write. "+
			"The types are about the selected Secrets: one that leaves them is `DELETED`, one that joins them `ADDED`."),
		eventsChoice("watch", atStart, "That selects once, at the beginning. The selector is evaluated with each change."),
	)
	if choices == "" {
		return nil
	}
	v["choices"], v["table"] = choices, strings.Join(table, "\n")
	v["requests"] = joinRequests(append(requests, cutRequest)...)
	return v
}
