//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// oldServers are the draws of lesson 12.
var oldServers = map[string]Draw{"p12a": p12a, "p12b": p12b, "p12c": p12c}

// An mayHappen is something that may happen: how a choice says it, and the conditions
// that hold if it did.
type mayHappen struct {
	text  string
	facts []string
}

// A wrongBelief is what somebody predicts who believes something wrong, and the reply.
type wrongBelief struct{ outcome, reply string }

// believedChoices writes the choices of a question: the right outcome, and one for each other
// outcome that a wrong belief leads to. It returns "" if there are fewer than least.
func believedChoices(outcomes map[string]mayHappen, right string, least int, wrongBeliefs ...wrongBelief) string {
	replies := map[string]string{right: ""}
	for _, m := range wrongBeliefs {
		if _, taken := replies[m.outcome]; !taken && m.outcome != "" {
			replies[m.outcome] = m.reply
		}
	}
	if len(replies) < least {
		return ""
	}
	var keys []string
	for key := range replies {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var b strings.Builder
	for _, key := range keys {
		o := outcomes[key]
		fmt.Fprintf(&b, "- %s\n", o.text)
		for _, f := range o.facts {
			fmt.Fprintf(&b, "  %s\n", f)
		}
		if replies[key] != "" {
			fmt.Fprintf(&b, "  reply %s\n", strconv.Quote(replies[key]))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// A matchQuestion is a list of Secrets that is asked for, some of which were made after V.
type matchQuestion struct {
	match   string // "", Exact, NotOlderThan or a word that is none
	version string // "", 0 or V
	limit   bool
}

// drawMatchQuestion draws one of those that have a match.
func drawMatchQuestion(r *rand.Rand, words ...string) matchQuestion {
	return matchQuestion{pick(r, words...), pick(r, "", "0", "V", "V", "V"), pick(r, true, false)}
}

// What a list question may come to: the state at V, the present, or a status.
const (
	stateAtV     = "then"
	statePresent = "now"
)

// answered returns what a server makes of a question, that honours the match or not, when V is
// forgotten or not.
func (q matchQuestion) answered(honours, forgotten bool) string {
	match := q.match
	if !honours {
		match = ""
	}
	switch {
	case match != "" && match != "Exact" && match != "NotOlderThan", match != "" && q.version == "", match == "Exact" &&
		q.version == "0":
		return "422"
	case q.version == "" || q.version == "0", match == "NotOlderThan", match == "" && !q.limit:
		return statePresent
	case forgotten:
		return "410"
	}
	return stateAtV
}

// query writes the question's query, with V as what the setup has found.
func (q matchQuestion) query() string {
	var parts []string
	if version := q.version; version != "" {
		if version == "V" {
			version = "{{then.response.body.metadata.resourceVersion}}"
		}
		parts = append(parts, "resourceVersion="+version)
	}
	if q.match != "" {
		parts = append(parts, "resourceVersionMatch="+q.match)
	}
	if q.limit {
		parts = append(parts, "limit=500")
	}
	return "  ?" + strings.Join(parts, "\n  &")
}

// said returns the query as the learner reads it.
func (q matchQuestion) said() string {
	s := strings.NewReplacer("{{then.response.body.metadata.resourceVersion}}", "V", "\n  ", "").Replace(q.query())
	return strings.TrimSpace(s)
}

// conditions returns what a request has to have that asks the question.
func (q matchQuestion) conditions() string {
	line := func(name, value string) string {
		if value == "" {
			return "  request.query." + name + " is absent"
		}
		return "  request.query." + name + " = " + value
	}
	limit := ""
	if q.limit {
		limit = "500"
	}
	version := q.version
	if version == "V" {
		version = "{{then.response.body.metadata.resourceVersion}}"
	}
	return strings.Join([]string{line("resourceVersion", version), line("resourceVersionMatch", q.match),
		line("limit", limit)}, "\n")
}

// drawPastAfterV draws what is written after V: requests of the setup, how often they change
// the number of Secrets, and how they are told.
func drawPastAfterV(r *rand.Rand, namespace string) (requests, told string, more int) {
	post := "POST /api/v1/namespaces/" + namespace + "/secrets\n\n"
	change := "PATCH /api/v1/namespaces/" + namespace + "/secrets/b\nContent-Type: application/merge-patch+json\n\n" +
		`{"stringData": {"v": "2"}}`
	created := post + `{"metadata": {"name": "d"}}`
	switch r.IntN(4) {
	case 0:
		return created, "`d` was created", 1
	case 1:
		return created + "\n\n###\n" + change, "`d` was created, and `b` changed", 1
	case 2:
		return "DELETE /api/v1/namespaces/" + namespace + "/secrets/c\n\n###\n" + change, "`c` was deleted, and `b` changed",
			-1
	}
	return created + "\n\n###\n" + post + `{"metadata": {"name": "e"}}`, "`d` and `e` were created", 2
}

// forgetAll is the setup's request by which V is forgotten.
const forgetAll = "\n\n###\nPOST " + wellknown.ControlPlane + "/compact\n\n{}"

// p12a draws a list, an old server or a new one, and a past that is kept or not.
func p12a(r *rand.Rand) Values {
	q := drawMatchQuestion(r, "", "Exact", "NotOlderThan", "Exact", "NotOlderThan", "Sometime")
	if q == (matchQuestion{}) {
		return nil
	}
	honours, forgotten := pick(r, true, false), pick(r, true, false)
	past, told, more := drawPastAfterV(r, "p12a")
	present := strconv.Itoa(3 + more)
	outcomes := map[string]mayHappen{
		stateAtV: {"200, with the Secrets as they were at V",
			[]string{"answer.response.status = 200", "answer.response.body.items.length = 3"}},
		statePresent: {"200, with the Secrets as they are now",
			[]string{"answer.response.status = 200", "answer.response.body.items.length = " + present}},
	}
	for _, code := range []string{"400", "410", "422"} {
		outcomes[code] = mayHappen{code, []string{"answer.response.status = " + code}}
	}
	right := q.answered(honours, forgotten)
	pages, gone, refusing := q, "", ""
	if pages.limit = false; forgotten && q.version == "V" {
		gone = "410"
	}
	if !honours && q.match != "" {
		refusing = "400"
	}
	reading := "That is what this server would do if it had read the match. It is from before v1.19, and ignores it."
	if honours {
		reading = "That is what a server from before v1.19 would do, which ignores the match. This one reads it."
	}
	choices := believedChoices(outcomes, right, 3,
		wrongBelief{q.answered(!honours, forgotten), reading},
		wrongBelief{pages.answered(honours, forgotten),
			"The belief: a limit only makes pages. Without a match, it makes V mean exactly V."},
		wrongBelief{refusing, "The belief: an unknown parameter is refused. It is ignored."},
		wrongBelief{gone, "The belief: a compacted version is always a 410. " +
			"It is one only for a request that needs exactly that state."},
		wrongBelief{stateAtV, "The belief: a version always means exactly that state. By itself it means “not older than”."},
		wrongBelief{"422", "The belief: the server finds a contradiction here. It finds one only in what it reads."},
	)
	if choices == "" {
		return nil
	}
	v := Values{"past": past, "told": told, "query": q.query(), "said": q.said(), "conditions": q.conditions(),
		"choices": choices,
		"honours": "honoured", "age": "knows `resourceVersionMatch`", "kept": "The history is kept.", "compaction": ""}
	if !honours {
		v["honours"], v["age"] = "ignored", "is from before v1.19, and does not know `resourceVersionMatch`"
	}
	if forgotten {
		v["kept"], v["compaction"] = "Then the history up to now was compacted, V included.", forgetAll
	}
	return v
}

// p12b draws a list and the answer of a server that has heard its match, or not.
func p12b(r *rand.Rand) Values {
	q := drawMatchQuestion(r, "Exact", "NotOlderThan", "Exact", "NotOlderThan", "Sometime")
	honours, forgotten := pick(r, true, false), pick(r, true, false)
	past, told, more := drawPastAfterV(r, "p12b")
	given := q.answered(honours, forgotten)
	is, isNot := map[string]string{}, map[string]string{}
	for state, n := range map[string]int{stateAtV: 3, statePresent: 3 + more} {
		is[state] = "response.body.items.length = " + strconv.Itoa(n)
		isNot[state] = "response.body.items.length != " + strconv.Itoa(n)
	}
	for _, code := range []string{"410", "422"} {
		is[code], isNot[code] = "response.status = "+code, "response.status != "+code
	}
	heard := "Yes: it knows the match"
	outcomes := map[string]mayHappen{
		"yes":     {heard, []string{"fromNew." + is[given], "fromOld." + isNot[given]}},
		"no":      {"No: it ignores the match", []string{"fromNew." + isNot[given], "fromOld." + is[given]}},
		"unclear": {"This answer does not tell", []string{"fromNew." + is[given], "fromOld." + is[given]}},
	}
	right := "unclear"
	if other := q.answered(!honours, forgotten); other != given {
		right = map[bool]string{true: "yes", false: "no"}[honours]
	}
	replies := map[string]string{
		"yes": "An answer that fits is no proof. A server that ignores the match gives the same one to this request.",
		"no": "The belief: only an old server would answer so. " +
			"One that honours the match gives the same answer to this request.",
		"unclear": "The belief: no answer ever tells. To this request the two kinds of servers give different ones.",
	}
	switch right {
	case "yes":
		replies["no"] = "The belief: a server that ignores the match answers so. " +
			"Without the match, this request has another answer."
	case "no":
		replies["yes"] = "The belief: any answer shows that everything was read. " +
			"A server that honours the match answers otherwise here."
	}
	answers := map[string]string{
		stateAtV:     "200, and a list that has V as its version, with `a`, `b` and `c`",
		statePresent: "200, and a list with a later version than V, with all that was done since",
		"410":        "410, `The resourceVersion for the provided list is too old.`",
		"422":        "422, `ListOptions … is invalid: resourceVersionMatch`",
	}
	v := Values{"past": past, "told": told, "query": q.query(), "said": q.said(), "conditions": q.conditions(),
		"given": answers[given],
		"kept":  "The history is kept.", "compaction": "",
		"choices": believedChoices(outcomes, right, 3,
			wrongBelief{"yes", replies["yes"]}, wrongBelief{"no", replies["no"]}, wrongBelief{"unclear", replies["unclear"]})}
	if forgotten {
		v["kept"], v["compaction"] = "Then the history up to now was compacted, V included.", forgetAll
	}
	return v
}

// p12c draws what a client does on an old server, and so what it is not prepared for.
func p12c(r *rand.Rand) Values {
	clients := []struct {
		says, path string
		q          matchQuestion
	}{
		{"It wants the Secrets exactly as they were at V.", "", matchQuestion{"Exact", "V", false}},
		{"It wants the Secrets exactly as they were at V, in pages.", "", matchQuestion{"Exact", "V", true}},
		{"It wants Secrets not older than V, in pages.", "", matchQuestion{"NotOlderThan", "V", true}},
		{"It wants Secrets not older than V.", "", matchQuestion{"NotOlderThan", "V", false}},
	}
	c := pick(r, clients...)
	forgotten := pick(r, true, false)
	past, told, more := drawPastAfterV(r, "p12c")
	right := "fine"
	switch got := c.q.answered(false, forgotten); {
	case got == "410":
		right = "list"
	case got == statePresent && c.q.match == "Exact":
		right = "compare"
	}
	now := strconv.Itoa(3 + more)
	status, length, match := "answer.response.status", "answer.response.body.items.length",
		"answer.request.query.resourceVersionMatch"
	outcomes := map[string]mayHappen{
		"list":    {"Listing without a version: it gets a 410", []string{status + " = 410"}},
		"refused": {"Asking without the match: it gets a 422", []string{status + " = 422"}},
		"compare": {"Comparing versions: it gets another state than it asked for",
			[]string{status + " = 200", match + " = Exact", length + " = " + now}},
	}
	fine := mayHappen{"Nothing, for now: what it gets is what it asked for",
		[]string{status + " = 200", match + " = NotOlderThan"}}
	if c.q.match == "Exact" {
		fine.facts = []string{status + " = 200", length + " = 3"}
	}
	outcomes["fine"] = fine
	v := Values{"past": past, "told": told, "query": c.q.query(), "says": c.says, "said": c.q.said(),
		"conditions": c.q.conditions(),
		"kept":       "The history is kept.", "compaction": "",
		"choices": believedChoices(outcomes, right, 4,
			wrongBelief{"refused", "The belief: an old server refuses a match. It ignores the match, and answers the rest."},
			wrongBelief{"list", "A 410 comes when a version has to be exact and is compacted. " +
				"Here it need not be exact, or it is still kept."},
			wrongBelief{"compare", "The old server takes V with a limit for exactly V, V alone for “not older”. See " +
				"which was wanted here."},
			wrongBelief{"fine", "The belief: the old server means the same by this. A limit makes V exact to it; without " +
				"one, V is a lower bound."})}
	if forgotten {
		v["kept"], v["compaction"] = "Then the history up to now was compacted, V included.", forgetAll
	}
	return v
}
