//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// staleReads are the generators of lesson 10.
var staleReads = map[string]Generator{"p10a": p10a, "p10c": p10c}

// A lightCase is an object, a light, whose colour was changed twice, and how many of these changes the caches of two
// servers have.
type lightCase struct {
	colours [3]string
	known   [2]int
}

// drawLight draws a lightCase in which a cache is frozen.
func drawLight(r *rand.Rand) lightCase {
	colours := shuffled(r, "green", "blue", "red", "white", "yellow")
	return lightCase{[3]string(colours[:3]),
		pick(r, [2]int{0, 2}, [2]int{2, 0}, [2]int{1, 2}, [2]int{2, 1}, [2]int{0, 1}, [2]int{1, 0})}
}

// setup returns the requests that make the case, each change named like its colour.
func (w lightCase) setup(space string) string {
	body := func(colour string) string {
		return fmt.Sprintf("{\"metadata\": {\"name\": \"light\"}, \"data\": {\"colour\": %q}}", colour)
	}
	requests := []string{fmt.Sprintf("# @name %s\nPOST /api/v1/namespaces/%s/configmaps\n\n%s", w.colours[0], space,
		body(w.colours[0]))}
	for at := range 2 {
		var replicas []string
		for _, known := range w.known {
			if known <= at {
				replicas = append(replicas, `{"frozen": true}`)
			} else {
				replicas = append(replicas, "{}")
			}
		}
		requests = append(requests,
			"PATCH "+wellknown.ControlPlane+"\nContent-Type: application/merge-patch+json\n\n"+
				`{"spec": {"cache": {"replicas": [`+strings.Join(replicas, ", ")+`]}}}`,
			fmt.Sprintf("# @name %s\nPATCH /api/v1/namespaces/%s/configmaps/light\nContent-Type: "+
				"application/merge-patch+json\n\n"+
				"{\"data\": {\"colour\": %q}}", w.colours[at+1], space, w.colours[at+1]))
	}
	return strings.Join(requests, "\n\n###\n")
}

// cachesText says in words what the caches have.
func (w lightCase) cachesText() string {
	var out []string
	for i, known := range w.known {
		if known == 2 {
			out = append(out, fmt.Sprintf("The cache of C%d keeps up.", i))
		} else {
			out = append(out, fmt.Sprintf("The cache of C%d stopped when the light was %s.", i, w.colours[known]))
		}
	}
	return strings.Join(out, " ")
}

// A lightRead is a read of the light.
type lightRead struct {
	server, version int // the version of a colour, or one of the words below
	list            bool
	match           string
	limit           bool
}

// Versions that are none of a colour.
const (
	versionUnset = -1
	versionAny   = -2
)

// tooLargeVersion is what colour returns where the server gives up waiting.
const tooLargeVersion = -1

// colour returns which colour the read shows if the server worked as a mistake has it; "" is the server as it is.
func (w lightCase) colour(a lightRead, mistake string) int {
	known := w.known[a.server]
	exact := a.match == "Exact" || a.match == "" && a.limit && mistake != "cuts"
	switch {
	case mistake == "truth", a.version == versionUnset && mistake != "cache" && mistake != "timid":
		return 2
	case mistake == "timid" && known < 2:
		return tooLargeVersion
	case a.version == versionUnset, a.version == versionAny, mistake == "cache":
		return known
	case a.version > known:
		return tooLargeVersion
	case exact || mistake == "exactly":
		return a.version
	}
	return known
}

// lightMistakes are what learners believe wrongly of reads, with the replies.
var lightMistakes = []struct{ name, reply string }{
	{"truth", "That is the current state. 200 does not mean that an answer is current: " +
		"a version in the request allows older ones, and may even ask for them."},
	{"cache", "That is what the cache of this server has. " +
		"It may answer only if that is as new as was asked for, and other servers have other caches."},
	{"exactly", "That would be exactly the version asked for. " +
		"Without a limit and without `Exact` it means: not older than that."},
	{"timid", "A server does not know that it is behind. It answers 504 only if a version was asked for that its " +
		"cache does not have."},
	{"cuts", "A limit without a match makes the version exact: it does not only cut the answer into pieces."},
}

// p10a draws what two caches have, and a read of one server.
func p10a(r *rand.Rand) Values {
	w := drawLight(r)
	a := lightRead{server: r.IntN(2), version: pick(r, versionUnset, versionAny, 0, 1, 1, 2, 2), list: r.IntN(2) == 0}
	if a.list && a.version >= 0 {
		a.match, a.limit = pick(r, "", "", "NotOlderThan", "Exact"), r.IntN(3) == 0
	}
	answer := func(seen int, reply string) choice {
		if seen == tooLargeVersion {
			return choice{outcome{"504, after 3 s", []string{"w.response.status = 504"}}, reply}
		}
		colour := w.colours[seen]
		fact := "w.response.body.data.colour = " + colour
		if a.list {
			fact = "w.response.body.items[*].data.colour contains " + colour
		}
		return choice{outcome{strings.ToUpper(colour[:1]) + colour[1:], []string{"w.response.status = 200", fact}}, reply}
	}
	right := w.colour(a, "")
	if right == tooLargeVersion && r.IntN(2) == 0 {
		return nil // which would be too often right
	}
	var others []choice
	for _, q := range lightMistakes {
		if got := w.colour(a, q.name); got != right {
			others = append(others, answer(got, q.reply))
		}
	}
	choices := writeShuffledChoices(r, answer(right, ""), others...)
	if choices == "" {
		return nil
	}
	path := "/api/v1/namespaces/p10a/configmaps"
	said := "The ConfigMaps are listed, and with them the light"
	if !a.list {
		path += "/light"
		said = "The light is read by its name"
	}
	var parameters, words []string
	add := func(name, value, word string) {
		parameters, words = append(parameters, name+"="+value), append(words, word)
	}
	switch {
	case a.version == versionAny:
		add("resourceVersion", "0", "`resourceVersion=0`")
	case a.version >= 0:
		colour := w.colours[a.version]
		add("resourceVersion", "{{"+colour+".response.body.metadata.resourceVersion}}",
			"the `resourceVersion` of the write that made it "+colour)
	}
	if a.match != "" {
		add("resourceVersionMatch", a.match, "`resourceVersionMatch="+a.match+"`")
	}
	if a.limit {
		add("limit", "5", "`limit=5`")
	}
	how := "without any version"
	if len(words) > 0 {
		how = "with " + strings.Join(words, ", ")
	}
	return Values{
		"setup": w.setup("p10a"), "caches": w.cachesText(), "first": w.colours[0], "second": w.colours[1],
		"third":   w.colours[2],
		"choices": choices,
		"server":  fmt.Sprint(a.server), "said": fmt.Sprintf("%s, from C%d, %s.", said, a.server, how), "path": path,
		"query": queryLines(parameters...),
	}
}

// p10c draws reads by a client whose requests the servers answer in turns.
func p10c(r *rand.Rand) Values {
	w := drawLight(r)
	reads := make([]lightRead, 3)
	how := make([]string, 3) // "0", "now" or "seen"
	for i := range reads {
		reads[i].server = r.IntN(2)
		how[i] = pick(r, "0", "0", "now")
		if i > 0 {
			how[i] = pick(r, "0", "0", "now", "seen", "seen")
		}
	}
	if reads[0].server == reads[1].server && reads[1].server == reads[2].server {
		return nil
	}
	// series is what is seen, for somebody with a belief, and for each read that names a
	// version which of the reads it is from.
	series := func(mistake string) (seen, from []int) {
		last := -1 // the latest read that was answered
		best := 0
		for i, a := range reads {
			a.version = map[string]int{"0": versionAny, "now": versionUnset, "seen": versionAny}[how[i]]
			from = append(from, last)
			if how[i] == "seen" && last >= 0 {
				a.version = seen[last]
			}
			got := w.colour(a, mistake)
			if mistake == "never back" {
				got = max(w.colour(a, ""), best)
			}
			if seen = append(seen, got); got != tooLargeVersion {
				last, best = i, max(best, got)
			}
		}
		return seen, from
	}
	right, from := series("")
	answer := func(seen []int, reply string) choice {
		var words, conditions []string
		for i, n := range seen {
			if n == tooLargeVersion {
				words, conditions = append(words, "504"), append(conditions, fmt.Sprintf("r%d.response.status = 504", i+1))
			} else {
				words, conditions = append(words, w.colours[n]),
					append(conditions, fmt.Sprintf("r%d.response.body.data.colour = %s", i+1, w.colours[n]))
			}
		}
		text := strings.Join(words, ", ")
		return choice{outcome{strings.ToUpper(text[:1]) + text[1:], conditions}, reply}
	}
	of := func(mistake, reply string) choice {
		seen, _ := series(mistake)
		return answer(seen, reply)
	}
	choices := writeShuffledChoices(r, answer(right, ""),
		of("truth", "That would be the current state each time. With `resourceVersion=0` each server returns what its "+
			"cache has."),
		of("never back", "No server remembers what a client has seen. "+
			"Only a version in the request prevents going back, and then the answer is 504."),
		of("cache", "That would be each server's cache, whatever is asked for. "+
			"Without a version it is the current state, and with one a cache that is older may not answer."),
		of("exactly", "A version does not ask for exactly that state. It asks for one that is not older."),
		of("timid", "A server does not know that it is behind. It answers 504 only if a version was asked for that its "+
			"cache does not have."),
	)
	if choices == "" {
		return nil
	}
	var said, requests []string
	for i, a := range reads {
		name, version, words := fmt.Sprintf("r%d", i+1), "", "without a version"
		switch {
		case how[i] == "seen" && from[i] >= 0:
			version = fmt.Sprintf("{{r%d.response.body.metadata.resourceVersion}}", from[i]+1)
			words = "with the version that it has seen last"
		case how[i] != "now":
			version, words = "0", "with `resourceVersion=0`"
		}
		path := "/api/v1/namespaces/p10c/configmaps/light"
		target := path
		if version != "" {
			target += "?resourceVersion=" + version
		}
		said = append(said, fmt.Sprintf("1. %s; C%d answers.", strings.ToUpper(words[:1])+words[1:], a.server))
		requests = append(requests,
			fmt.Sprintf("# @name %s\nGET %s\n"+wellknown.ReplicaHeader+": %d", name, target, a.server))
	}
	return Values{
		"setup": w.setup("p10c"), "caches": w.cachesText(), "first": w.colours[0], "second": w.colours[1],
		"third":   w.colours[2],
		"choices": choices,
		"said":    strings.Join(said, "\n"), "requests": joinRequests(requests...),
	}
}
