//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// bookmarks are the generators of lesson 6.
var bookmarks = map[string]Generator{"p06a": p06a, "p06b": p06b}

// minutesText returns a number of minutes in words.
func minutesText(n int) string {
	if n == 1 {
		return "a minute"
	}
	return fmt.Sprintf("%d minutes", n)
}

// restartRequest restarts the API server.
const restartRequest = "# @name restarted\nPOST " + wellknown.ControlPlane + "/restart\n\n{}"

// advanceRequest returns a request that moves the clock.
func advanceRequest(name string, minutes int) string {
	return fmt.Sprintf("# @name %s\nPOST "+wellknown.ControlPlane+"/advance\n\n{\"seconds\": %d}", name,
		60*minutes)
}

// leaseRequest returns a request that creates a Lease.
func leaseRequest(namespace, name string) string {
	return fmt.Sprintf("# @name %s\nPOST /apis/coordination.k8s.io/v1/namespaces/%s/leases\n\n"+
		"{\"metadata\": {\"generateName\": \"x-\"}}", name, namespace)
}

// pauseRequest returns a request that takes a few seconds, in which bookmarks may come: a watch of something else in
// its old form, whose answer is awaited like any other's.
func pauseRequest(namespace string) string {
	return "# @name pause\nGET /api/v1/watch/namespaces/" + namespace + "/pods?timeoutSeconds=3"
}

// p06a draws what is written while a client watches, whether it gets bookmarks, how long it is away, and in which order
// a Lease is written and the API server is restarted meanwhile, if at all. May it resume?
func p06a(r *rand.Rand) Values {
	const path = "/api/v1/namespaces/p06a/secrets"
	asked, often := pick(r, true, true, false), pick(r, true, true, false)
	writes := pick(r, "", "L", "L", "S", "SL", "SL", "LS")
	away := pick(r, 1, 4, 20, 50)                       // minutes
	meanwhile := pick(r, "", "L", "R", "R", "LR", "RL") // a Lease, a restart
	bookmark := asked && often && writes != ""
	restarted := strings.Contains(meanwhile, "R")
	// Something was written after the version that the client has, and before the restart.
	gone := restarted && (meanwhile == "LR" || !bookmark && strings.HasSuffix(writes, "L"))
	v := Values{"bookmarks": "1h", "often": "an hour"}
	if often {
		v["bookmarks"], v["often"] = "2s", "two seconds"
	}
	version, from := "watch.response.events[-1].object", "its last event"
	if bookmark {
		from = "its last event, a bookmark"
	} else if !strings.Contains(writes, "S") {
		version, from = "list.response.body", "its list, as no event has come"
	}
	query := ""
	v["asks"] = "It does not ask for bookmarks."
	if asked {
		query = "\n  &allowWatchBookmarks=true"
		v["asks"] = "It asks for bookmarks."
	}
	requests := []string{"# @name list\nGET " + path, "# @name watch\nGET " + path + "\n  ?watch=1" + query +
		"\n  &resourceVersion={{list.response.body.metadata.resourceVersion}}"}
	var said []string
	for _, w := range writes {
		if w == 'S' {
			said = append(said, "a Secret")
			requests = append(requests, secretWrite{"create", "s"}.request("p06a", "s"))
		} else {
			said = append(said, "a Lease")
			requests = append(requests, leaseRequest("p06a", "lease"))
		}
	}
	v["written"] = "Nothing at all is written while it is connected."
	if len(said) > 0 {
		v["written"] = "While it is connected, this is written: " + strings.Join(said, ", then ") + "."
	}
	requests = append(requests, pauseRequest("p06a"), cutRequest)
	for _, m := range meanwhile {
		if m == 'L' {
			requests = append(requests, leaseRequest("p06a", "during"))
		} else {
			requests = append(requests, restartRequest)
		}
	}
	requests = append(requests, advanceRequest("all", away))
	v["away"] = map[string]string{
		"": "Nothing happens in that time", "L": "A Lease is written", "R": "The API server is restarted",
		"LR": "A Lease is written, and then the API server is restarted",
		"RL": "The API server is restarted, and then a Lease is written",
	}[meanwhile] + ". After " + minutesText(away) + " the client comes back."
	news := secretWrite{"create", "news"}
	requests = append(requests, "# @name tried\nGET "+path+"\n"+
		"  ?watch=1\n  &resourceVersion={{"+version+".metadata.resourceVersion}}",
		news.request("p06a", "news"))
	v["from"], v["requests"] = from, joinRequests(requests...)
	switch {
	case gone:
		v["after"] = "Something was written after the client's version and before the restart, so the server does not know " +
			"that nothing is missing. What it was does not matter."
	case restarted:
		v["after"] = "The server knows nothing from before its restart, but until then nothing was written after the " +
			"client's version."
	default:
		v["after"] = "The server has all events of Secrets after the client's version, however old that is."
	}
	return v
}

// p06b draws how a stream of events ends. Which version is the one to resume from?
func p06b(r *rand.Rand) Values {
	const path = "/api/v1/namespaces/p06b/secrets"
	names := shuffled(r, "a", "b", "c", "d", "e", "f")
	before := between(r, 1, 3) // Secrets before the bookmark, if there is one
	tail := pick(r, "bookmark", "bookmark", "secret", "none")
	after := pick(r, 1, 2) // Secrets after it
	if tail != "secret" {
		after = 0
	}
	marked := tail != "none"
	query := ""
	if marked {
		query = "\n  &allowWatchBookmarks=true"
	}
	requests := []string{"# @name list\nGET " + path, "# @name watch\nGET " + path + "\n  ?watch=1" + query +
		"\n  &resourceVersion={{list.response.body.metadata.resourceVersion}}"}
	var table []string
	add := func(n int) string {
		w, name := secretWrite{"create", names[n]}, fmt.Sprintf("w%d", n+1)
		requests = append(requests, w.request("p06b", name))
		table = append(table, fmt.Sprintf("| `ADDED` | Secret `%s` |", w.name))
		return name + ".response.body"
	}
	last := ""
	for n := range before {
		last = add(n)
	}
	if marked {
		requests = append(requests, leaseRequest("p06b", "lease"), pauseRequest("p06b"))
		table = append(table, "| `BOOKMARK` | a version, and no name |")
	}
	for n := range after {
		last = add(before + n)
	}
	// the bookmark came before the Secrets after it
	mark := fmt.Sprintf("watch.response.events[-%d].object", after+1)
	newest := last
	if tail == "bookmark" {
		newest = mark
	}
	missed := names[before+after]
	compact := "POST " + wellknown.ControlPlane + "/compact"
	w := secretWrite{"create", missed}
	requests = append(requests, cutRequest, w.request("p06b", "missed"), leaseRequest("p06b", "own"),
		"# @name compact\n"+compact+"\n\n{\"revision\": {{"+newest+".metadata.resourceVersion}}}")
	v := Values{"table": strings.Join(table, "\n"), "missed": missed}
	var choices []choice
	try := func(name, text, version, reply string) {
		requests = append(requests, "# @name "+name+"\nGET "+path+"\n  ?watch=1\n  &timeoutSeconds=1\n"+
			"  &resourceVersion={{"+version+".metadata.resourceVersion}}")
		right := eventsConditions(name, addedEvents([]string{missed}))
		choices = append(choices, choice{outcome{"That of " + text, right}, reply})
	}
	try("fromList", "its list", "list.response.body",
		"The list is where the watch began. Everything since then would be delivered again, if it were not gone.")
	try("fromSecret", "the last event with a Secret", last,
		"That ignores the bookmark. It has a version as every event does, and a later one.")
	if marked {
		try("fromMark", "the last bookmark", mark,
			"That prefers a bookmark to an event. What matters is which came last.")
	}
	try("fromOwn", "the Lease that it has written itself", "own.response.body",
		"The client got this version for another reason. It would never learn "+
			"of what was written between its last event and the Lease.")
	if v["choices"] = writeChoices(3, maxChoices, choices[0], choices[1:]...); v["choices"] == "" {
		return nil
	}
	v["requests"] = joinRequests(requests...)
	return v
}
