//go:build !js

package practice

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// oldServers are the generators of lesson 12.
var oldServers = map[string]Generator{"p12a": p12a, "p12b": p12b}

// A matchRequest has the parameters of a list of Secrets, some of which were created after V.
type matchRequest struct {
	match   string // "", Exact, NotOlderThan or a word that is none
	version string // "", 0 or V
	limit   bool
}

// drawMatchRequest draws a matchRequest with one of these matches.
func drawMatchRequest(r *rand.Rand, words ...string) matchRequest {
	return matchRequest{pick(r, words...), pick(r, "", "0", "V", "V", "V"), pick(r, true, false)}
}

// Outcomes of a matchRequest, besides statuses: the state at V, the present state.
const (
	stateAtV     = "then"
	statePresent = "now"
)

// answer returns the outcome at a server that knows the parameter resourceVersionMatch or not, with V compacted or not.
func (q matchRequest) answer(honours, forgotten bool) string {
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

// query returns the query of the request, with the version that the setup has found for V.
func (q matchRequest) query() string {
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

// text returns the query as the learner reads it.
func (q matchRequest) text() string {
	s := strings.NewReplacer("{{then.response.body.metadata.resourceVersion}}", "V", "\n  ", "").Replace(q.query())
	return strings.TrimSpace(s)
}

// drawWritesAfterV draws what is written after V: the setup's requests, their description, and by how much they change
// the number of Secrets.
func drawWritesAfterV(r *rand.Rand, namespace string) (requests, told string, more int) {
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

// compactRequest is the setup's request that compacts V.
const compactRequest = "\n\n###\nPOST " + wellknown.ControlPlane + "/compact\n\n{}"

// p12a draws a list, a server that knows resourceVersionMatch or an old one, and whether V is compacted.
func p12a(r *rand.Rand) Values {
	q := drawMatchRequest(r, "", "Exact", "NotOlderThan", "Exact", "NotOlderThan", "Sometime")
	if q == (matchRequest{}) {
		return nil
	}
	honours, forgotten := pick(r, true, false), pick(r, true, false)
	past, told, more := drawWritesAfterV(r, "p12a")
	present := strconv.Itoa(3 + more)
	outcomes := map[string]outcome{
		stateAtV: {"200, with the Secrets as they were at V",
			[]string{"answer.response.status = 200", "answer.response.body.items.length = 3"}},
		statePresent: {"200, with the Secrets as they are now",
			[]string{"answer.response.status = 200", "answer.response.body.items.length = " + present}},
	}
	for _, code := range []string{"400", "410", "422"} {
		outcomes[code] = outcome{code, []string{"answer.response.status = " + code}}
	}
	right := q.answer(honours, forgotten)
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
	choices := writeOutcomeChoices(outcomes, right, 3,
		mistake{q.answer(!honours, forgotten), reading},
		mistake{pages.answer(honours, forgotten),
			"A common belief: a limit only makes pages. Without a match, it makes V mean exactly V."},
		mistake{refusing, "A common belief: an unknown parameter is refused. It is ignored."},
		mistake{gone, "A common belief: a compacted version is always a 410. " +
			"It is one only for a request that needs exactly that state."},
		mistake{stateAtV, "A common belief: a version always means exactly that state. Alone it means “not older than”."},
		mistake{"422", "A common belief: the server finds a contradiction here. It finds one only in what it reads."},
	)
	if choices == "" {
		return nil
	}
	v := Values{"past": past, "told": told, "query": q.query(), "said": q.text(),
		"choices": choices,
		"honours": "honoured", "age": "knows `resourceVersionMatch`", "kept": "The history is kept.", "compaction": ""}
	if !honours {
		v["honours"], v["age"] = "ignored", "is from before v1.19, and does not know `resourceVersionMatch`"
	}
	if forgotten {
		v["kept"], v["compaction"] = "Then the history up to now was compacted, including V.", compactRequest
	}
	return v
}

// p12b draws a list and its answer. Did the server know resourceVersionMatch?
func p12b(r *rand.Rand) Values {
	q := drawMatchRequest(r, "Exact", "NotOlderThan", "Exact", "NotOlderThan", "Sometime")
	honours, forgotten := pick(r, true, false), pick(r, true, false)
	past, told, more := drawWritesAfterV(r, "p12b")
	given := q.answer(honours, forgotten)
	is, isNot := map[string]string{}, map[string]string{}
	for state, n := range map[string]int{stateAtV: 3, statePresent: 3 + more} {
		is[state] = "response.body.items.length = " + strconv.Itoa(n)
		isNot[state] = "response.body.items.length != " + strconv.Itoa(n)
	}
	for _, code := range []string{"410", "422"} {
		is[code], isNot[code] = "response.status = "+code, "response.status != "+code
	}
	heard := "Yes: it knows the match"
	outcomes := map[string]outcome{
		"yes":     {heard, []string{"fromNew." + is[given], "fromOld." + isNot[given]}},
		"no":      {"No: it ignores the match", []string{"fromNew." + isNot[given], "fromOld." + is[given]}},
		"unclear": {"This answer does not tell", []string{"fromNew." + is[given], "fromOld." + is[given]}},
	}
	right := "unclear"
	if other := q.answer(!honours, forgotten); other != given {
		right = map[bool]string{true: "yes", false: "no"}[honours]
	}
	replies := map[string]string{
		"yes": "An answer that fits is no proof. A server that ignores the match gives the same one to this request.",
		"no": "A common belief: only an old server would answer like that. " +
			"One that honours the match gives the same answer to this request.",
		"unclear": "A common belief: no answer ever shows it. To this request the two kinds of servers give different ones.",
	}
	switch right {
	case "yes":
		replies["no"] = "A common belief: a server that ignores the match answers like that. " +
			"Without the match, this request has another answer."
	case "no":
		replies["yes"] = "A common belief: any answer shows that everything was read. " +
			"A server that honours the match answers differently here."
	}
	answers := map[string]string{
		stateAtV:     "200, and a list that has V as its version, with `a`, `b` and `c`",
		statePresent: "200, and a list with a later version than V, with all that was done since",
		"410":        "410, `The resourceVersion for the provided list is too old.`",
		"422":        "422, `ListOptions … is invalid: resourceVersionMatch`",
	}
	v := Values{"past": past, "told": told, "query": q.query(), "said": q.text(),
		"given": answers[given],
		"kept":  "The history is kept.", "compaction": "",
		"choices": writeOutcomeChoices(outcomes, right, 3,
			mistake{"yes", replies["yes"]}, mistake{"no", replies["no"]}, mistake{"unclear", replies["unclear"]})}
	if forgotten {
		v["kept"], v["compaction"] = "Then the history up to now was compacted, including V.", compactRequest
	}
	return v
}
