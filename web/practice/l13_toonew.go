//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// tooNew are the generators of lesson 13.
var tooNew = map[string]Generator{"p13a": p13a, "p13b": p13b}

// Places of the version that a request asks for.
const (
	versionCompacted = "gone"   // compacted
	versionKept      = "kept"   // behind the cache, and kept
	versionNewest    = "fresh"  // the newest: ahead of the cache, if that is frozen
	versionFuture    = "future" // nobody has made it
)

// p13a draws a version and a request for it.
func p13a(r *rand.Rand) Values {
	number := pick(r, versionCompacted, versionKept, versionNewest, versionNewest, versionFuture)
	verb := pick(r, "get", "list", "exact", "limit", "watch", "watch")
	frozen := pick(r, true, false)
	text := map[string]outcome{
		"answer": {"200, with an answer", []string{"answer.response.status = 200"}},
		"410":    {"410", []string{"answer.response.status = 410"}},
		"504":    {"504, after three seconds", []string{"answer.response.status = 504"}},
		"404":    {"404", []string{"answer.response.status = 404"}},
		"400":    {"400", []string{"answer.response.status = 400"}},
		"silent": {"200, and nothing for the two seconds",
			[]string{"answer.response.status = 200", "answer.response.events.length = 0"}},
		"error410": {"200, and an ERROR event with code 410",
			[]string{"answer.response.events[0].type = ERROR", "answer.response.events[0].object.code = 410"}},
		"error504": {"200, and an ERROR event with code 504",
			[]string{"answer.response.events[0].type = ERROR", "answer.response.events[0].object.code = 504"}},
		"added": {"200, and ADDED for what came after that number",
			[]string{"answer.response.events[0].object.metadata.name = d"}},
		"addedAll": {"200, and ADDED for all that there is", []string{"answer.response.events[0].object.metadata.name = a"}},
	}
	watch, ahead := verb == "watch", number == versionFuture || number == versionNewest && frozen
	right, wrong := listOutcome(verb, number, ahead), listMistakesFor(verb, number, ahead)
	if watch {
		right, wrong = watchOutcome(number), watchMistakesFor(number, ahead)
	}
	choices := writeOutcomeChoices(text, right, 3, wrong...)
	if choices == "" {
		return nil
	}
	version := map[string]string{
		versionCompacted: "{{old.response.body.metadata.resourceVersion}}",
		versionKept:      "{{kept.response.body.metadata.resourceVersion}}",
		versionNewest:    "{{fresh.response.body.metadata.resourceVersion}}",
		versionFuture:    strconv.Itoa(between(r, 1, 9) * 1000000000),
	}[number]
	what := map[string]string{
		versionCompacted: "the version of the first list", versionKept: "the version of the second list",
		versionNewest: "the version of `e`", versionFuture: version + ", which no revision of this cluster has ever had",
	}[number]
	query := map[string]string{
		"get": "", "list": "\n  &resourceVersionMatch=NotOlderThan", "exact": "\n  &resourceVersionMatch=Exact",
		"limit": "\n  &limit=500",
		"watch": "\n  &watch=1\n  &timeoutSeconds=2",
	}[verb]
	v := Values{
		"what": what, "version": version, "query": query, "said": strings.ReplaceAll(query, "\n  ", ""), "choices": choices,
		"path": "", "state": "The watch cache follows.", "freeze": "",
	}
	if verb == "get" {
		v["path"] = "/a"
	}
	if frozen {
		v["state"] = "Before `e` was created, the watch cache was frozen, and it still is."
		v["freeze"] = "###\nPATCH " + wellknown.ControlPlane + "\nContent-Type: application/merge-patch+json\n\n" +
			`{"spec": {"cache": {"replicas": [{"frozen": true}]}}}` + "\n\n"
	}
	return v
}

// listOutcome returns the outcome of a read at a version.
func listOutcome(verb, number string, ahead bool) string {
	switch {
	case ahead:
		return "504"
	case number == versionCompacted && (verb == "exact" || verb == "limit"):
		return "410"
	}
	return "answer"
}

func listMistakesFor(verb, number string, ahead bool) []mistake {
	switch {
	case number == versionFuture:
		return []mistake{
			{"410", "A common belief: 410 is for any version that the server does not have. It is for one that was compacted."},
			{"400", "A common belief: the server knows that there is no such revision. Its cache may not have received it yet."},
			{"answer", "A common belief: a number that is too high is lowered. Then an answer could be older than asked for."},
		}
	case ahead:
		return []mistake{
			{"answer", "A common belief: etcd is asked when the cache does not have it. Such a read waits for the cache."},
			{"410", "A common belief: 410 is for any version that the server does not have. This one is ahead of it."},
			{"404", "A common belief: a missing version is a missing object."},
		}
	case number == versionCompacted && (verb == "exact" || verb == "limit"):
		return []mistake{
			{"answer", "A common belief: the current state will do. It would for “not older than”; this asks for exactly " +
				"that state."},
			{"504", "A common belief: the server waits for what it does not have. " +
				"It waits only for a revision that is still to come."},
			{"404", "A common belief: a missing version is a missing object."},
		}
	}
	return []mistake{
		{"410", "A common belief: what is asked for here is compacted. Look which state this answer needs."},
		{"504", "A common belief: the cache has to wait. It has got beyond this number."},
		{"404", "A common belief: a version can be missing like an object."},
	}
}

// watchOutcome returns the outcome of a watch from a version, after two seconds. The first write after versionKept
// creates d.
func watchOutcome(number string) string {
	switch number {
	case versionCompacted:
		return "error410"
	case versionKept:
		return "added"
	}
	return "silent"
}

func watchMistakesFor(number string, ahead bool) []mistake {
	all := mistake{"addedAll",
		"A common belief: each watch begins with the state. One from a version delivers what came after it."}
	waits := mistake{"error504",
		"A common belief: a watch waits as a list does, and gives up. It has no state to wait for."}
	switch number {
	case versionCompacted:
		return []mistake{
			{"410", "A common belief: it is the status. A watch is answered 200 before its history is read."}, all,
			{"added", "A common belief: a watch still has the events. What was compacted cannot be delivered any more."},
		}
	case versionKept:
		return []mistake{all,
			{"silent", "A common belief: a watch begins with now. It begins after its version."},
			{"error410", "A common belief: this version is compacted. Compare it with the compaction."},
		}
	}
	lost := mistake{"error410",
		"A common belief: a version that the server does not have is gone. This one is ahead of it."}
	if !ahead {
		lost.reply = "A common belief: this version is compacted. It is the newest that there is."
	}
	return []mistake{waits, lost, all}
}

// p13b draws a cluster that was restored from a backup, and how far its version has got since.
func p13b(r *rand.Rand) Values {
	kind := pick(r, "secrets", "configmaps", "serviceaccounts")
	lost, since := between(r, 4, 9), between(r, 0, 14)
	// Whether X was passed has to be plain, even if a controller is still at work; and only
	// what is there twice can be repeated.
	if since == 1 || since > lost-4 && since < lost+4 {
		return nil
	}
	again := ""
	if since > 0 {
		again = fmt.Sprintf("###\n# @repeat %d\nPOST /api/v1/namespaces/p13b/%s\n\n"+
			`{"metadata": {"generateName": "since-"}}`+"\n", since, kind)
	}
	v := Values{"kind": kind, "lost": strconv.Itoa(lost), "others": strconv.Itoa(lost - 1), "again": again,
		"since": fmt.Sprintf("Since then %d have been created", since), "match": "Exact",
		"row": "- The state at X was read as it is now: it lacks what you have seen at X",
		"proof": "-> 200\n  response.body.metadata.resourceVersion = {{seen.response.body.metadata.resourceVersion}}" +
			`    else "That answer is not of X. Which match gives a state exactly as it was?"` +
			"\n  response.body.items[*].metadata.uid lacks {{lost.response.body.metadata.uid}}"}
	if since == 0 {
		v["since"] = "Nothing has been created since"
	}
	if since < lost {
		v["match"], v["row"] = "NotOlderThan", "- It was shown that the cluster has not even got to X"
		v["proof"] = `-> 504 else "This request is answered, so it does not show that X is ahead. ` +
			`Ask for a state not older than X."` +
			"\n  response.body.details.causes[0].reason = ResourceVersionTooLarge" +
			"\n  request.query.resourceVersion = {{seen.response.body.metadata.resourceVersion}}" +
			`    else "Ask about X, and no other number."`
	}
	return v
}
