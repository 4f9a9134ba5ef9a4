//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// watchStarts are the generators of lesson 5.
var watchStarts = map[string]Generator{"p05a": p05a, "p05b": p05b, "p05c": p05c}

// p05a draws whether a server's cache is behind, and where a watch begins.
func p05a(r *rand.Rand) Values {
	const path = "/api/v1/namespaces/p05a/secrets"
	exist := shuffled(r, "a", "b", "c")[:2]
	state := pick(r, "frozen", "late", "late", "frozen", "level")
	start, server := pick(r, "unset", "0", "0", "N"), pick(r, "0", "1", "1")
	writes := drawWrites(r, exist, []string{"a", "b", "c", "d"}, between(r, 1, 2))
	was, is := stateEvents(exist, nil), stateEvents(exist, writes)
	if eventsText(was) == eventsText(is) {
		return nil
	}
	now := eventsChoice("watch", is,
		"That is the state after the writes. Whether a watch begins with a state, and with which, depends on "+
			"its version and on the server.")
	old := eventsChoice("watch", was,
		"That is the state before the writes. Only at `0` may a server begin with an old state, and only if "+
			"its cache has not got any further.")
	failed := choice{outcome{"An `ERROR` with code 504, after a few seconds",
		[]string{"watch.response.events[0].type = ERROR"}},
		"A server gives up only when it is asked for the current state and its cache does not get there. " +
			"That is asked for by a watch without a version."}
	silent := eventsChoice("watch", nil,
		"A watch delivers nothing at first only if it begins at a version: then it gets no state.")
	behind := server == "1" && state != "level"
	truth := now
	switch {
	case start == "N":
		truth = silent
	case behind && start == "0":
		truth = old
	case behind:
		truth = failed
	}
	choices := writeChoices(3, maxChoices, truth, now, old, failed, silent)
	if choices == "" {
		return nil
	}
	setting := map[string]string{"frozen": `{"frozen": true}`, "late": `{"lagSeconds": 60}`, "level": "{}"}[state]
	said := map[string]string{
		"frozen": "Server 1 is frozen: its cache no longer learns of changes.",
		"late":   "Server 1 is 60 seconds late: its cache learns of each change a minute after it was made.",
		"level":  "Both servers are up to date.",
	}[state]
	version := map[string]string{"unset": "without a version", "0": "at `resourceVersion=0`",
		"N": "at the version of a list that was made at server 0, after the writes"}[start]
	var setup, requests, table []string
	for _, name := range exist {
		setup = append(setup, secretWrite{"create", name}.request("p05a", "had-"+name))
	}
	for i, w := range writes {
		name := fmt.Sprintf("w%d", i+1)
		table = append(table, w.verb+" `"+w.name+"`")
		requests = append(requests, w.request("p05a", name))
	}
	query := "?watch=1\n  &timeoutSeconds=1"
	switch start {
	case "0":
		query += "\n  &resourceVersion=0"
	case "N":
		requests = append(requests, "# @name list\nGET "+path+"\n"+wellknown.ReplicaHeader+": 0")
		query += "\n  &resourceVersion={{list.response.body.metadata.resourceVersion}}"
	}
	requests = append(requests,
		fmt.Sprintf("# @name watch\nGET %s\n  %s\n"+wellknown.ReplicaHeader+": %s", path, query, server))
	return Values{
		"state": said, "version": version, "server": server, "choices": choices, "setup": joinRequests(setup...),
		"replica": setting,
		"exist":   quoteNames(exist), "writes": strings.Join(table, ", then "), "requests": joinRequests(requests...),
	}
}

// p05b draws the versions of Secrets, and after which event a watch that begins with the state is cut.
func p05b(r *rand.Rand) Values {
	const path = "/api/v1/namespaces/p05b/secrets"
	made := shuffled(r, "a", "b", "c", "d")[:between(r, 3, 4)] // in the order of their versions
	names := slices.Sorted(slices.Values(made))
	got := between(r, 1, len(names)+1) // so many events have come; the last possible is a change
	open, away := "e", "f"
	var received, told []string
	point := ""
	switch {
	case got <= len(names):
		received, point = names[:got], names[got-1]
		told = append(slices.Clone(made[slices.Index(made, point)+1:]), open, away)
	default:
		received, point = append(slices.Clone(names), open), open
		told = []string{away}
	}
	all := append(slices.Clone(names), open, away)
	// what a client has not got that was sent some names and is told others
	lacks := func(told []string) string {
		var out []string
		for _, name := range all {
			if !slices.Contains(received, name) && !slices.Contains(told, name) {
				out = append(out, name)
			}
		}
		return quoteNames(out)
	}
	belief := func(told []string, reply string) choice {
		b := eventsChoice("resumed", addedEvents(told), reply)
		b.text = "It delivers " + quoteNames(told) + "; then the client is missing " + lacks(told)
		return b
	}
	later := all[len(received):]
	if got <= len(names) {
		later = append(slices.Clone(names[got:]), open, away)
	}
	choices := writeChoices(3, maxChoices,
		belief(told, ""),
		belief(later, "That continues the stream where it broke. "+
			"The server goes by the version: it sends what was written after it, in the order of the writes."),
		belief(all, "A watch begins with all existing objects only without a version, or at `0`."),
		belief(all[max(len(names), len(received)):],
			"That is only what happened after the state. Everything after that version is delivered, "+
				"whatever the client has got already."),
		belief([]string{away}, "That is only what happened without a watch. The server does not know when that was."),
	)
	if choices == "" {
		return nil
	}
	var setup []string
	for _, name := range made {
		setup = append(setup, secretWrite{"create", name}.request("p05b", name))
	}
	place := fmt.Sprintf("the %s of these events, that of `%s`",
		[]string{"first", "second", "third", "fourth", "fifth"}[got-1],
		point)
	if got > len(names) {
		place = "the event of `" + open + "`"
	}
	after := "A client cannot safely resume from the version of a synthetic event: " +
		"it says when that object was written, not how far the stream has come."
	if got > len(names) {
		after = "The event of `e` was a change, after the state. " +
			"From there on the versions in the stream grow, and each is a place to resume from."
	}
	return Values{
		"made": quoteNames(made), "count": fmt.Sprint(len(names)), "place": place,
		"point":   point,
		"choices": choices,
		"after":   after, "setup": joinRequests(setup...), "path": path,
	}
}

// p05c draws names, the order in which they are created, and one that is changed later.
func p05c(r *rand.Rand) Values {
	made := shuffled(r, "a", "a-1", "a1", "a10", "a9", "b", "b-2", "b2", "b11")[:4]
	changed := made[between(r, 0, 2)]
	names := slices.Sorted(slices.Values(made))
	byVersion := append(slices.DeleteFunc(slices.Clone(made), func(s string) bool { return s == changed }), changed)
	newest := slices.Clone(byVersion)
	slices.Reverse(newest)
	natural := slices.Clone(names)
	slices.SortStableFunc(natural, func(a, b string) int {
		if a[0] != b[0] || len(a) == len(b) {
			return strings.Compare(a, b)
		}
		return len(a) - len(b)
	})
	expect := func(list []string, reply string) choice {
		b := eventsChoice("watch", addedEvents(list), reply)
		b.text = quoteNames(list)
		return b
	}
	choices := writeChoices(3, maxChoices,
		expect(names, ""),
		expect(natural, "That reads numbers as numbers, or puts short names first. "+
			"Names are compared character by character: `-` comes before digits, digits before letters, and `10` before `9`."),
		expect(byVersion, "That is the order of the last writes. Changes come in that order; these events describe a state."),
		expect(made, "That is the order in which they were created. The store does not keep that order."),
		expect(newest, "That begins with the newest. No stream of the API goes backwards."),
	)
	if choices == "" {
		return nil
	}
	var setup []string
	for _, name := range made {
		setup = append(setup, secretWrite{"create", name}.request("p05c", "made-"+name))
	}
	setup = append(setup, secretWrite{"change", changed}.request("p05c", "changed"))
	place := slices.Index(names, changed)
	where := []string{"first", "second", "third", "last"}[place]
	return Values{"made": quoteNames(made), "changed": changed, "choices": choices, "setup": joinRequests(setup...),
		"where": where}
}
