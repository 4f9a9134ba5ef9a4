//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// grid are the draws of lesson 11.
var grid = map[string]Draw{"p11a": p11a, "p11b": p11b, "p11c": p11c}

// A gridAsk is how a list is asked for: a cell of the table of lists.
type gridAsk struct {
	version  string // "", "0", "old" for V, "new" for the version of the latest write
	match    string
	limit    int  // 0: none
	token    bool // that of the first page of V
	selected bool // there is a selector, which takes nothing away
}

// A gridWorld is where it is asked for: how many objects there are in each state, how
// many the first page of V had, and what was done since.
type gridWorld struct {
	old, cache, now, first int
	frozen, compacted      bool
}

// A gridAnswer is what comes of it.
type gridAnswer struct {
	status int
	// state is "old", "cache" or "now", skip how many of its objects come before these,
	// limit how many there are at most, 0 for no limit.
	state       string
	skip, limit int
}

// gridQuirks are what people believe, each with what to tell them where it is wrong.
var gridQuirks = []struct{ name, reply string }{
	{"cuts", "A limit does not only cut the answer into pieces: where there is no match, it makes a version exact."},
	{"exact", "Without a limit and without a match a version means: not older than that. Newer is welcome."},
	{"newest", "Not older than V is all that is asked for. What the cache has is not older, so there is no need to ask etcd."},
	{"lenient", "That would be so if what does not go together were ignored. Here it is refused."},
	{"defaults", "422 is for a match that does not go with the rest. Nothing is wrong with this request."},
	{"zeropages", "With `0` this server ignores a limit: the answer comes as a whole."},
	{"zeronow", "`0` does not mean now, as no version does. It means any: whatever the cache has."},
	{"zeroold", "`0` does not mean the oldest. It means any: whatever the cache has."},
	{"cachefirst", "Without a version only the present will do, and a cache that is behind does not have it."},
	{"gone", "V is gone, but this request does not need the state of V. 410 is for those that mean exactly V."},
	{"kept", "The history is compacted. What means exactly V, by `Exact`, a limit or a token, cannot be read any more."},
	{"same", "The token has its version in it. Another one beside it is refused, even the same."},
	{"strictzero", "With `0` nothing is said that the token could contradict. It is allowed."},
	{"tokenlimit", "A token needs no limit: without one it brings all that is left."},
	{"present", "The token leads on in the state of V, whatever was written since."},
	{"impatient", "Without a version a slow cache costs time, and no more: after 3 s etcd answers."},
	{"fallback", "With a version the cache has to get there. If it does not in 3 s, it is 504: etcd is not asked."},
	{"blind", "The cache is not there yet, and an older state is not what was asked for."},
}

// gridFrozen are those that are about a cache that stands still.
var gridFrozen = map[string]bool{"impatient": true, "fallback": true, "blind": true, "cachefirst": true}

// answer is what comes of a request, for somebody with a belief; "" for the server.
func (w gridWorld) answer(a gridAsk, quirk string) gridAnswer {
	q := func(name string) bool { return quirk == name }
	refused := func(status int) gridAnswer { return gridAnswer{status: status} }
	shown := func(state string, limit int) gridAnswer { return gridAnswer{status: 200, state: state, limit: limit} }
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
		out := gridAnswer{200, "old", w.first, limit}
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

// size is how many objects are on an answer, and how many are left after it.
func (w gridWorld) size(g gridAnswer) (items, left int) {
	items = map[string]int{"old": w.old, "cache": w.cache, "now": w.now}[g.state] - g.skip
	if g.limit > 0 && g.limit < items {
		return g.limit, items - g.limit
	}
	return items, 0
}

// counted is the belief in an answer, told by its items and what is left.
func (g gridAnswer) counted(name string, a gridAsk, w gridWorld, reply string) belief {
	fact := func(s string) string { return name + ".response." + s }
	if g.status != 200 {
		words := map[int]string{
			400: "400: the parameters do not go together", 410: "410: that state is gone", 422: "422: the match does not belong there",
			504: "504: the cache does not get there",
		}
		return belief{words[g.status], []string{fact(fmt.Sprintf("status = %d", g.status))}, reply}
	}
	items, left := w.size(g)
	facts := []string{fact("status = 200"), fact(fmt.Sprintf("body.items.length = %d", items))}
	text := plural(items)
	switch {
	case left == 0:
		text += ", no token"
		facts = append(facts, fact("body.metadata.continue is absent"))
	case a.selected:
		text += ", a token, and no count of what remains"
		facts = append(facts, fact("body.metadata.continue is present"), fact("body.metadata.remainingItemCount is absent"))
	default:
		text += fmt.Sprintf(", a token, and %d remain", left)
		facts = append(facts, fact("body.metadata.continue is present"), fact(fmt.Sprintf("body.metadata.remainingItemCount = %d", left)))
	}
	return belief{text, facts, reply}
}

func plural(items int) string {
	if items == 1 {
		return "1 item"
	}
	return fmt.Sprintf("%d items", items)
}

// stateFacts tell which state a list shows, whose versions the requests old and changed
// have.
func stateFacts(name, state string) []string {
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

// parameters are those of the request.
func (a gridAsk) parameters() []string {
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

// words say what the request has.
func (a gridAsk) words() string {
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

// cellDrawn draws a cell of the table: one of 21.
func cellDrawn(r *rand.Rand) gridAsk {
	a := gridAsk{version: pick(r, "", "0", "old")}
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

// stateNames are what the templates call the states.
var stateNames = map[string]string{"old": "The old state", "cache": "The cache's state", "now": "The state of now"}

// stated is the belief in an answer, told by its state and whether it is whole.
func (g gridAnswer) stated(name string, w gridWorld, reply string) belief {
	b := g.counted(name, gridAsk{}, w, reply)
	if g.status != 200 {
		return b
	}
	b.text = stateNames[g.state] + ": " + b.text
	b.facts = append(b.facts, stateFacts(name, g.state)...)
	return b
}

// gridMade draws how the three states come about: what is created after V, and what is
// changed behind the cache.
func gridMade(r *rand.Rand, space string, frozen bool) (w gridWorld, v Values) {
	names := []string{"a", "b", "c", "d", "e"}[:between(r, 3, 5)]
	w = gridWorld{old: len(names), first: 1, frozen: frozen}
	made := between(r, 1, 2)
	later := []string{"x", "y"}[:made]
	w.cache = w.old + made
	var requests, said []string
	for _, n := range later {
		requests = append(requests, secretWrite("made-"+n, space, "POST", n))
	}
	said = append(said, fmt.Sprintf("V is the version of a list of the Secrets %s.", listed(names)),
		fmt.Sprintf("Then %s is created.", listed(later)))
	if made > 1 {
		said[1] = strings.Replace(said[1], " is ", " are ", 1)
	}
	if frozen {
		requests = append(requests, "# @name frozen\nPATCH /apis/sandbox.tabernetes.dev/v1/controlplanes/default\n"+
			"Content-Type: application/merge-patch+json\n\n"+`{"spec": {"cache": {"replicas": [{"frozen": true}]}}}`)
		said = append(said, "There the watch cache stops.")
	}
	kind, name := "DELETE", pick(r, names...)
	w.now = w.cache - 1
	if r.IntN(2) == 0 {
		kind, name, w.now = "POST", "z", w.cache+1
	}
	requests = append(requests, secretWrite("gone-or-made", space, kind, name),
		fmt.Sprintf("# @name changed\nPOST /api/v1/namespaces/%s/secrets\n\n{\"metadata\": {\"name\": \"zz\"}}", space))
	w.now++
	verb := map[string]string{"POST": "created", "DELETE": "deleted"}[kind]
	said = append(said, fmt.Sprintf("Then `%s` is %s, and `zz` is created, which gets the version W.", name, verb))
	path := "/api/v1/namespaces/" + space + "/secrets"
	return w, Values{
		"setup": creates(space, names) + "\n###\n# @name old\nGET " + path + "\n\n###\n# @name page\nGET " + path +
			"?limit=1&resourceVersion={{old.response.body.metadata.resourceVersion}}\n\n###\n" + strings.Join(requests, "\n\n###\n"),
		"said": strings.Join(said, " "), "states": fmt.Sprintf("%d, %d and %d", w.old, w.cache, w.now),
	}
}

// p11a draws a cell of the table, and which state it shows while a cache stands still.
func p11a(r *rand.Rand) Values {
	w, v := gridMade(r, "p11a", true)
	a := cellDrawn(r)
	right := w.answer(a, "")
	var others []belief
	for _, q := range gridQuirks {
		if got := w.answer(a, q.name); got != right {
			others = append(others, got.stated("w", w, q.reply))
		}
	}
	if v["choices"] = beliefs(r, right.stated("w", w, ""), others...); v["choices"] == "" {
		return nil
	}
	v["query"], v["asked"], v["conditions"] = query(a.parameters()...), a.words(), a.conditions()
	return v
}

// p11b draws an answer, and four requests of which one gives it: the others would, if
// what people believe were so.
func p11b(r *rand.Rand) Values {
	w, v := gridMade(r, "p11b", true)
	wanted := w.answer(cellDrawn(r), "")
	if wanted.status != 200 && r.IntN(2) == 0 {
		return nil
	}
	target := wanted.stated("w1", w, "")
	var right *gridAsk
	var wrong, spare []gridAsk // spare: those that a belief has already got one of
	used := map[string]bool{}
	replies := map[gridAsk]string{}
	var cells []gridAsk
	for range 200 {
		if a := cellDrawn(r); !slices.Contains(cells, a) {
			cells = append(cells, a)
		}
	}
	for _, a := range cells {
		got := w.answer(a, "")
		if got.stated("w1", w, "").text == target.text {
			if right == nil {
				right = &a
			}
			continue
		}
		for _, q := range shuffled(r, gridQuirks...) {
			if w.answer(a, q.name).stated("w1", w, "").text == target.text {
				if used[q.name] {
					spare = append(spare, a)
				} else {
					wrong = append(wrong, a)
				}
				used[q.name] = true
				replies[a] = "It gives this. " + got.stated("w1", w, "").text + ". " + q.reply
				break
			}
		}
	}
	wrong = append(wrong, spare...)
	if right == nil || len(wrong) < 2 {
		return nil
	}
	asks := shuffled(r, append([]gridAsk{*right}, wrong[:min(len(wrong), mostChoices-1)]...)...)
	var choices, requests, checks []string
	for i, a := range asks {
		name := fmt.Sprintf("w%d", i+1)
		b := wanted.stated(name, w, "")
		choices = append(choices, "- "+strings.ToUpper(a.words()[:1])+a.words()[1:])
		for _, f := range b.facts {
			choices = append(choices, "  "+f)
		}
		if a != *right {
			choices = append(choices, fmt.Sprintf("  reply %q", replies[a]))
		}
		requests = append(requests, "# @name "+name+"\nGET /api/v1/namespaces/p11b/secrets"+query(a.parameters()...))
		checks = append(checks, fmt.Sprintf("- Request %d\n  %s: GET /api/v1/namespaces/p11b/secrets\n%s", i+1, name, a.conditions()))
	}
	v["answer"], v["choices"] = target.text, strings.Join(choices, "\n")
	v["requests"], v["check"] = strings.Join(requests, "\n\n###\n"), strings.Join(checks, "\n")
	return v
}

// conditions are those of a row that looks for the request.
func (a gridAsk) conditions() string {
	have := map[string]string{}
	for _, p := range a.parameters() {
		name, value, _ := strings.Cut(p, "=")
		have[name] = value
	}
	var out []string
	for _, name := range []string{"resourceVersion", "resourceVersionMatch", "limit", "continue"} {
		if value, ok := have[name]; ok {
			out = append(out, "  request.query."+name+" = "+value)
		} else {
			out = append(out, "  request.query."+name+" is absent")
		}
	}
	return strings.Join(out, "\n")
}

// p11c draws a cell, whether the cache stands and whether V is gone; what is the status?
func p11c(r *rand.Rand) Values {
	w, v := gridMade(r, "p11c", r.IntN(2) == 0)
	w.compacted = r.IntN(3) > 0
	a := cellDrawn(r)
	if a.version != "" && r.IntN(3) == 0 {
		a.version = "new"
	}
	right := w.answer(a, "")
	words := map[int]string{200: "200", 400: "400", 410: "410", 422: "422", 504: "504, after 3 s"}
	status := func(g gridAnswer, reply string) belief {
		return belief{words[g.status], []string{fmt.Sprintf("w.response.status = %d", g.status)}, reply}
	}
	var others []belief
	for _, q := range gridQuirks {
		if got := w.answer(a, q.name); got.status != right.status {
			others = append(others, status(got, q.reply))
		}
	}
	more := map[int]string{
		200: "Think of what the request needs: here that cannot be had, or does not go together.",
		410: "410 is for a state that is needed exactly, and is gone.",
		422: "422 is for a match without a version, with a token, or exactly `0`. This is none of these.",
		504: "504 is for a version that the cache does not have yet.",
		400: "400 is for a token with a version beside it.",
	}
	for _, n := range shuffled(r, 200, 410, 422, 504) {
		if n != right.status {
			others = append(others, status(gridAnswer{status: n}, more[n]))
		}
	}
	v["choices"] = beliefs(r, status(right, ""), others...)
	v["gone"], v["compact"] = "The history is kept.", ""
	if w.compacted {
		v["gone"] = "After all that, the history is compacted up to the creation of `x`."
		v["compact"] = "\n\n###\nPOST /apis/sandbox.tabernetes.dev/v1/controlplanes/default/compact\n\n" +
			`{"revision": {{made-x.response.body.metadata.resourceVersion}}}`
	}
	v["query"], v["asked"], v["conditions"] = query(a.parameters()...), a.words(), a.conditions()
	return v
}
