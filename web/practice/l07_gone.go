//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// gone are the generators of lesson 7.
var gone = map[string]Generator{"p07a": p07a, "p07b": p07b}

// An oldVersionRequest uses an old version: its description, its path after that of the Secrets, and the rest of its
// query.
type oldVersionRequest struct{ text, name, query string }

var oldVersionRequests = []oldVersionRequest{
	{"a watch from the version of %s", "", "&watch=1&timeoutSeconds=1"},
	{"a watch of Secret `a` alone, by a field selector, from the version of %s", "",
		"&watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Da"},
	{"a watch with a label selector, from the version of %s", "", "&watch=1&timeoutSeconds=1&labelSelector=by"},
	{"a GET of Secret `a` with the version of %s", "/a", ""},
	{"a list with the version of %s", "", ""},
	{"a list with the version of %s and `limit=1`", "", "&limit=1"},
	{"a list with the version of %s and `resourceVersionMatch=Exact`", "", "&resourceVersionMatch=Exact"},
	{"a list with the version of %s, `limit=1` and `resourceVersionMatch=Exact`", "",
		"&limit=1&resourceVersionMatch=Exact"},
	{"a list with the version of %s and `resourceVersionMatch=NotOlderThan`", "", "&resourceVersionMatch=NotOlderThan"},
	{"a list with the version of %s, `limit=1` and `resourceVersionMatch=NotOlderThan`", "",
		"&limit=1&resourceVersionMatch=NotOlderThan"},
}

// p07a draws writes, how far back their history is kept, and a request with the version of one. The run decides what is
// answered.
func p07a(r *rand.Rand) Values {
	const path = "/api/v1/namespaces/p07a/secrets"
	writes := drawWrites(r, []string{"a"}, []string{"a", "b", "c"}, 5)
	if slices.ContainsFunc(writes, func(w secretWrite) bool { return w.name == "a" && w.verb == "delete" }) {
		return nil
	}
	kept, version := between(r, 2, 5), between(r, 1, 5)
	if version == kept || version == kept-1 {
		return nil // where history ends exactly is not the question
	}
	req := oldVersionRequests[pick(r, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)]
	said := func(n int) string { return fmt.Sprintf("write %d", n) }
	var table, requests []string
	// A deletion's answer has no version: the version of a write is that of a list after it.
	for i, w := range writes {
		name, list := fmt.Sprintf("w%d", i+1), fmt.Sprintf("at%d", i+1)
		table = append(table, fmt.Sprintf("| %d | %s `%s` |", i+1, w.verb, w.name))
		requests = append(requests, w.request("p07a", name))
		if i+1 == kept || i+1 == version {
			requests = append(requests, "# @name "+list+"\nGET "+path)
		}
	}
	const compact = "POST " + wellknown.ControlPlane + "/compact"
	ref := fmt.Sprintf("{{at%d.response.body.metadata.resourceVersion}}", version)
	requests = append(requests, fmt.Sprintf("# @name compact\n%s\n\n{\"revision\": "+
		"{{at%d.response.body.metadata.resourceVersion}}}",
		compact, kept),
		fmt.Sprintf("# @name asked\nGET %s%s\n  ?resourceVersion=%s%s", path, req.name, ref,
			strings.ReplaceAll(req.query, "&", "\n  &")))
	return Values{
		"table": strings.Join(table, "\n"), "kept": said(kept), "asked": fmt.Sprintf(req.text, said(version)),
		"requests": joinRequests(requests...),
	}
}

// p07b draws what a client has in its memory, and what has become of these objects.
func p07b(r *rand.Rand) Values {
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
		setup = append(setup, create("p07b", "now-"+name, name, now[name]))
		labels = append(labels, now[name])
	}
	for _, name := range sorted(memory) {
		setup = append(setup, create("p07b-b", "had-"+name, name, memory[name]))
	}
	solution = append(solution, "# @name now\nGET /api/v1/namespaces/p07b/secrets")
	for _, name := range names {
		was, is := memory[name], now[name]
		path := "/api/v1/namespaces/p07b-b/secrets/" + name
		switch {
		case was == is:
		case is == "":
			solution = append(solution, "DELETE "+path)
		case was == "":
			solution = append(solution, create("p07b-b", "add-"+name, name, is))
		default:
			solution = append(solution, "PATCH "+path+"\nContent-Type: application/merge-patch+json\n\n"+
				fmt.Sprintf("{\"metadata\": {\"labels\": {\"v\": %q}}}", is))
		}
	}
	solution = append(solution, "# @name memory\nGET /api/v1/namespaces/p07b-b/secrets")
	list := func(words []string) string { return fmt.Sprintf("%q", `["`+strings.Join(words, `","`)+`"]`) }
	return Values{
		"setup": joinRequests(setup...), "solution": joinRequests(solution...), "names": list(sorted(now)),
		"labels": list(labels),
		"same":   same,
		"index":  fmt.Sprint(slices.Index(sorted(now), same)),
	}
}
