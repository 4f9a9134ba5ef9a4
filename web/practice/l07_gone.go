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
var gone = map[string]Generator{"p07a": p07a, "p07b": p07b, "p07c": p07c}

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

// p07c draws a failure. The run shows what helps.
func p07c(r *rand.Rand) Values {
	resource := pick(r, "secrets", "leases")
	path := "/api/v1/namespaces/p07c/secrets"
	if resource == "leases" {
		path = "/apis/coordination.k8s.io/v1/namespaces/p07c/leases"
	}
	name := pick(r, "a", "b", "c", "d")
	create := func(called, name string) string {
		return fmt.Sprintf("# @name %s\nPOST %s\n\n{\"metadata\": {\"name\": %q}}", called, path, name)
	}
	get := func(called, query, header string) string {
		return "# @name " + called + "\nGET " + path + query + header
	}
	const version = "resourceVersion={{list.response.body.metadata.resourceVersion}}"
	kind := pick(r, "cut", "cut", "gone-watch", "gone-watch", "gone-list", "gone-page", "late-list", "late-watch",
		"late-get",
		"refused-list", "refused-watch")
	watch := kind == "cut" || strings.HasSuffix(kind, "-watch")
	query, header, text, came := "", "", "", ""
	before := []string{get("list", "", "\n"+wellknown.ReplicaHeader+": 0")}
	after := "# @name time\nPOST " + wellknown.ControlPlane + "/advance\n\n{\"seconds\": 60}"
	what := map[string]string{"secrets": "Secrets", "leases": "Leases"}[resource]
	switch kind {
	case "cut":
		query, text = "?watch=1&timeoutSeconds=1&"+version, "watched the "+what+" from the version of its list"
		came = "The connection broke, without an event that says why. Meanwhile `" + name + "` was created."
		cut := "# @name cut\nPOST " + wellknown.ControlPlane + "/disconnect\n\n{}"
		before = append(before, get("broken", "?watch=1&"+version, ""), cut, create("w", name))
	case "gone-watch":
		query, text = "?watch=1&timeoutSeconds=1&"+version, "watched the "+what+" from the version of an earlier list"
		came = "The answer was 200, and its only event was an `ERROR` with code 410."
	case "gone-list":
		query, text = "?"+version+"&resourceVersionMatch=Exact", "listed the "+what+
			" with an earlier version and the match `Exact`"
		came = "The answer was 410."
	case "gone-page":
		query, text = "?"+version+"&limit=1", "listed the "+what+" with an earlier version and `limit=1`"
		came = "The answer was 410."
	case "late-list":
		query, text = "?"+version+"&resourceVersionMatch=NotOlderThan", "listed the "+what+
			" at server 1, not older than a version that it has from server 0"
		came = "After 3 seconds the answer was 504."
	case "late-get":
		query, text = "", "read `"+name+"` at server 1, not older than a version that it has from server 0"
		came = "After 3 seconds the answer was 504."
	case "late-watch":
		query, text = "?watch=1&timeoutSeconds=1", "watched the "+what+" at server 1, without a version"
		came = "The answer was 200, and after 3 seconds its only event was an `ERROR` with code 504."
	case "refused-list":
		query, text, came = "", "listed the "+what, "The answer was 403."
	case "refused-watch":
		query, text, came = "?watch=1&timeoutSeconds=1&"+version, "watched the "+what+
			" from a version that it got from someone else",
			"The answer was 403."
	}
	switch cause, _, _ := strings.Cut(kind, "-"); cause {
	case "gone":
		before = append(before, create("w", name), "# @name compact\nPOST "+wellknown.ControlPlane+"/compact\n\n{}")
	case "late":
		patch := "PATCH " + wellknown.ControlPlane + "\nContent-Type: application/merge-patch+json\n\n" +
			"{\"spec\": {\"cache\": {\"replicas\": [{}, %s]}}}"
		header = "\n" + wellknown.ReplicaHeader + ": 1"
		before = []string{"# @name frozen\n" + fmt.Sprintf(patch, `{"frozen": true}`), create("w", name), before[0]}
		after = "# @name time\n" + fmt.Sprintf(patch, "{}")
	case "refused":
		header = "\nImpersonate-User: " + pick(r, "eve", "mallory")
	}
	ask := func(called string) string {
		if kind == "late-get" {
			return "# @name " + called + "\nGET " + path + "/" + name + "?" + version + header
		}
		return get(called, query, header)
	}
	requests := append(before, ask("again"), get("fresh", "", header), after, ask("later"))
	v := Values{
		"did": text, "came": came, "requests": joinRequests(requests...),
		"mode":     "AlwaysAllow",
		"servers":  "1",
		"goneFact": "later.response.status = 410", "lateFact": "again.response.status = 504",
		"time": "a minute later",
	}
	if watch {
		v["goneFact"], v["lateFact"] = "later.response.events[0].object.code = 410",
			"again.response.events[0].object.code = 504"
	}
	switch {
	case strings.HasPrefix(kind, "late"):
		v["servers"], v["time"] = "2", "when server 1 has caught up"
	case strings.HasPrefix(kind, "refused"):
		v["mode"] = "RBAC"
	}
	return v
}
