//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A listRequest has the parameters of a list: a cell of the table of lists.
type listRequest struct {
	version  string // "", "0", "old" for V, "new" for the version of the latest write
	match    string
	limit    int  // 0: none
	token    bool // that of the first page of V
	selected bool // there is a selector, which takes nothing away
}

// A listCase is the cluster that is asked: how many objects there are in each state, how many the first page at V had,
// and what was done since.
type listCase struct {
	old, cache, now, first int
	frozen, compacted      bool
}

// A listAnswer is what a list returns.
type listAnswer struct {
	status int
	// state is "old", "cache" or "now", skip how many of its objects come before these,
	// limit how many there are at most, 0 for no limit.
	state       string
	skip, limit int
}

// listMistakes are what learners believe wrongly of lists, with the replies.
var listMistakes = []struct{ name, reply string }{
	{"cuts", "A limit does not only cut the answer into pieces: without a match, it makes a version exact."},
	{"exact", "Without a limit and without a match a version means: not older than that. Newer is fine."},
	{"newest", "Not older than V is all that is asked for. " +
		"What the cache has is not older, so there is no need to ask etcd."},
	{"lenient", "Parameters that do not go together are not ignored here: they are refused."},
	{"defaults", "422 is for a match that does not go with the rest. Nothing is wrong with this request."},
	{"zeropages", "With `0` this server ignores a limit: the answer comes as a whole."},
	{"zeronow", "`0` does not mean now; leaving the version out does. It means any: whatever the cache has."},
	{"zeroold", "`0` does not mean the oldest. It means any: whatever the cache has."},
	{"cachefirst", "Without a version only the current state will do, and a cache that is behind does not have it."},
	{"gone", "V is gone, but this request does not need the state of V. 410 is for those that mean exactly V."},
	{"kept", "The history is compacted. A request that means exactly V, by `Exact`, a limit or a token, fails now."},
	{"same", "The token has its version in it. Another one beside it is refused, even the same."},
	{"strictzero", "`0` names no version that could contradict the token. It is allowed."},
	{"tokenlimit", "A token needs no limit: without one it returns all that is left."},
	{"present", "The token continues in the state of V, whatever was written since."},
	{"impatient", "Without a version a slow cache only costs time: after 3 s etcd answers."},
	{"fallback", "With a version the cache has to get there. If it does not in 3 s, it is 504: etcd is not asked."},
	{"blind", "The cache is not there yet, and an older state is not what was asked for."},
}

// frozenMistakes are those of listMistakes that are about a frozen cache.
var frozenMistakes = map[string]bool{"impatient": true, "fallback": true, "blind": true, "cachefirst": true}

// answer returns what a list returns if the server worked as a mistake has it; "" is the server as it is.
func (w listCase) answer(a listRequest, mistake string) listAnswer {
	q := func(name string) bool { return mistake == name }
	refused := func(status int) listAnswer { return listAnswer{status: status} }
	shown := func(state string, limit int) listAnswer { return listAnswer{status: 200, state: state, limit: limit} }
	cached := "now"
	if w.frozen {
		cached = "cache"
	}
	versioned := a.version != "" && a.version != "0"
	bad := a.match != "" && (a.version == "" || a.token || a.match == "Exact" && a.version == "0")
	switch {
	case bad && !q("lenient"):
		return refused(422)
	case q("defaults") && a.match != "" && a.limit > 0:
		return refused(422)
	case a.token && versioned && !q("lenient") && !q("same"):
		return refused(400)
	case a.token && a.version == "0" && q("strictzero"):
		return refused(400)
	case a.token && a.limit == 0 && q("tokenlimit"):
		return refused(400)
	}
	limit := a.limit
	if a.version == "0" && !q("zeropages") {
		limit = 0
	}
	if a.token {
		out := listAnswer{200, "old", w.first, limit}
		switch {
		case q("present"):
			out.state = "now"
		case w.compacted && !q("kept"):
			return refused(410)
		}
		return out
	}
	exact := a.match == "Exact" || a.match == "" && a.limit > 0 && !q("cuts") || a.match == "" && q("exact")
	switch {
	case a.version == "" && q("cachefirst"):
		return shown(cached, limit)
	case a.version == "" && q("impatient") && w.frozen:
		return refused(504)
	case a.version == "":
		return shown("now", limit)
	case a.version == "0" && q("zeronow"):
		return shown("now", limit)
	case a.version == "0" && q("zeroold"):
		return shown("old", limit)
	case a.version == "0":
		return shown(cached, limit)
	case a.version == "new" && w.frozen:
		switch {
		case q("fallback"):
			return shown("now", limit)
		case q("blind"):
			return shown("cache", limit)
		}
		return refused(504)
	case a.version == "new":
		return shown("now", limit)
	case exact && w.compacted && !q("kept"), q("gone") && w.compacted:
		return refused(410)
	case exact:
		return shown("old", limit)
	case q("newest"):
		return shown("now", limit)
	}
	return shown(cached, limit)
}

// size returns how many objects an answer has, and how many are left after it.
func (w listCase) size(g listAnswer) (items, left int) {
	items = map[string]int{"old": w.old, "cache": w.cache, "now": w.now}[g.state] - g.skip
	if g.limit > 0 && g.limit < items {
		return g.limit, items - g.limit
	}
	return items, 0
}

// countChoice returns the choice that names the answer by its number of items and what is left.
func (g listAnswer) countChoice(name string, a listRequest, w listCase, reply string) choice {
	fact := func(s string) string { return name + ".response." + s }
	if g.status != 200 {
		words := map[int]string{
			400: "400: the parameters do not go together", 410: "410: that state is gone",
			422: "422: the match does not belong there",
			504: "504: the cache does not get there",
		}
		return choice{outcome{words[g.status], []string{fact(fmt.Sprintf("status = %d", g.status))}}, reply}
	}
	items, left := w.size(g)
	conditions := []string{fact("status = 200"), fact(fmt.Sprintf("body.items.length = %d", items))}
	text := itemsText(items)
	switch {
	case left == 0:
		text += ", no token"
		conditions = append(conditions, fact("body.metadata.continue is absent"))
	case a.selected:
		text += ", a token, and no count of what remains"
		conditions = append(conditions, fact("body.metadata.continue is present"),
			fact("body.metadata.remainingItemCount is absent"))
	default:
		text += fmt.Sprintf(", a token, and %d remain", left)
		conditions = append(conditions, fact("body.metadata.continue is present"),
			fact(fmt.Sprintf("body.metadata.remainingItemCount = %d", left)))
	}
	return choice{outcome{text, conditions}, reply}
}

// itemsText returns a number of items in words.
func itemsText(items int) string {
	if items == 1 {
		return "1 item"
	}
	return fmt.Sprintf("%d items", items)
}

// stateConditions returns the conditions that a list shows a state; the requests old and changed have the versions of
// the states.
func stateConditions(name, state string) []string {
	version := name + ".response.body.metadata.resourceVersion "
	const (
		old     = "{{old.response.body.metadata.resourceVersion}}"
		changed = "{{changed.response.body.metadata.resourceVersion}}"
	)
	switch state {
	case "old":
		return []string{version + "= " + old}
	case "cache":
		return []string{version + "> " + old, version + "< " + changed}
	}
	return []string{version + ">= " + changed}
}

// parameters returns the request's parameters.
func (a listRequest) parameters() []string {
	var out []string
	switch a.version {
	case "0":
		out = append(out, "resourceVersion=0")
	case "old":
		out = append(out, "resourceVersion={{old.response.body.metadata.resourceVersion}}")
	case "new":
		out = append(out, "resourceVersion={{changed.response.body.metadata.resourceVersion}}")
	}
	if a.match != "" {
		out = append(out, "resourceVersionMatch="+a.match)
	}
	if a.limit > 0 {
		out = append(out, fmt.Sprintf("limit=%d", a.limit))
	}
	if a.token {
		out = append(out, "continue={{page.response.body.metadata.continue}}")
	}
	if a.selected {
		out = append(out, "labelSelector=%21hidden")
	}
	return out
}

// text describes the request.
func (a listRequest) text() string {
	var out []string
	switch a.version {
	case "0":
		out = append(out, "`resourceVersion=0`")
	case "old":
		out = append(out, "`resourceVersion=` V")
	case "new":
		out = append(out, "`resourceVersion=` W")
	}
	if a.match != "" {
		out = append(out, "`resourceVersionMatch="+a.match+"`")
	}
	if a.limit > 0 {
		out = append(out, fmt.Sprintf("`limit=%d`", a.limit))
	}
	if a.token {
		out = append(out, "the token of the page")
	}
	if a.selected {
		out = append(out, "`labelSelector=!hidden` (none of them is)")
	}
	if len(out) == 0 {
		return "no parameters at all"
	}
	return strings.Join(out, ", ")
}

// drawCell draws one of the 21 cells of the table.
func drawCell(r *rand.Rand) listRequest {
	a := listRequest{version: pick(r, "", "0", "old")}
	switch r.IntN(7) {
	case 1:
		a.limit = 1
	case 2:
		a.limit, a.token = 1, true
	case 3:
		a.match = "Exact"
	case 4:
		a.match, a.limit = "Exact", 1
	case 5:
		a.match = "NotOlderThan"
	case 6:
		a.match, a.limit = "NotOlderThan", 1
	}
	return a
}

// stateTexts are the states in the words of the templates.
var stateTexts = map[string]string{"old": "The old state", "cache": "The cache's state", "now": "The state of now"}

// stateChoice returns the choice that names the answer by its state, and by whether it is complete.
func (g listAnswer) stateChoice(name string, w listCase, reply string) choice {
	b := g.countChoice(name, listRequest{}, w, reply)
	if g.status != 200 {
		return b
	}
	b.text = stateTexts[g.state] + ": " + b.text
	b.conditions = append(b.conditions, stateConditions(name, g.state)...)
	return b
}
