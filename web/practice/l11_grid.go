//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// grid are the generators of lesson 11.
var grid = map[string]Generator{"p11a": p11a, "p11b": p11b, "p11c": p11c}

// drawListCase draws how the three states come about: what is created after V, and what is changed while the cache is
// frozen.
func drawListCase(r *rand.Rand, space string, frozen bool) (w listCase, v Values) {
	names := []string{"a", "b", "c", "d", "e"}[:between(r, 3, 5)]
	w = listCase{old: len(names), first: 1, frozen: frozen}
	made := between(r, 1, 2)
	later := []string{"x", "y"}[:made]
	w.cache = w.old + made
	var requests, said []string
	for _, n := range later {
		requests = append(requests, secretRequest("made-"+n, space, "POST", n))
	}
	said = append(said, fmt.Sprintf("V is the version of a list of the Secrets %s.", namesText(names)),
		fmt.Sprintf("Then %s is created.", namesText(later)))
	if made > 1 {
		said[1] = strings.Replace(said[1], " is ", " are ", 1)
	}
	if frozen {
		requests = append(requests, "# @name frozen\nPATCH "+wellknown.ControlPlane+"\n"+
			"Content-Type: application/merge-patch+json\n\n"+`{"spec": {"cache": {"replicas": [{"frozen": true}]}}}`)
		said = append(said, "There the watch cache stops.")
	}
	kind, name := "DELETE", pick(r, names...)
	w.now = w.cache - 1
	if r.IntN(2) == 0 {
		kind, name, w.now = "POST", "z", w.cache+1
	}
	requests = append(requests, secretRequest("gone-or-made", space, kind, name),
		fmt.Sprintf("# @name changed\nPOST /api/v1/namespaces/%s/secrets\n\n{\"metadata\": {\"name\": \"zz\"}}", space))
	w.now++
	verb := map[string]string{"POST": "created", "DELETE": "deleted"}[kind]
	said = append(said, fmt.Sprintf("Then `%s` is %s, and `zz` is created, which gets the version W.", name, verb))
	path := "/api/v1/namespaces/" + space + "/secrets"
	return w, Values{
		"setup": createSecrets(space, names) + "\n###\n# @name old\nGET " + path + "\n\n###\n# @name page\nGET " + path +
			"?limit=1&resourceVersion={{old.response.body.metadata.resourceVersion}}\n\n###\n" +
			strings.Join(requests, "\n\n###\n"),
		"said": strings.Join(said, " "), "states": fmt.Sprintf("%d, %d and %d", w.old, w.cache, w.now),
	}
}

// p11a draws a cell of the table. Which state does it show while a cache is frozen?
func p11a(r *rand.Rand) Values {
	w, v := drawListCase(r, "p11a", true)
	a := drawCell(r)
	right := w.answer(a, "")
	var others []choice
	for _, q := range listMistakes {
		if got := w.answer(a, q.name); got != right {
			others = append(others, got.stateChoice("w", w, q.reply))
		}
	}
	if v["choices"] = writeShuffledChoices(r, right.stateChoice("w", w, ""), others...); v["choices"] == "" {
		return nil
	}
	v["query"], v["asked"] = queryLines(a.parameters()...), a.text()
	return v
}

// p11b draws an answer, and four requests of which one returns it. The others would if a mistake were true.
func p11b(r *rand.Rand) Values {
	w, v := drawListCase(r, "p11b", true)
	wanted := w.answer(drawCell(r), "")
	if wanted.status != 200 && r.IntN(2) == 0 {
		return nil
	}
	target := wanted.stateChoice("w1", w, "")
	var right *listRequest
	var wrong, spare []listRequest // spare: those that a belief has already got one of
	used := map[string]bool{}
	replies := map[listRequest]string{}
	var cells []listRequest
	for range 200 {
		if a := drawCell(r); !slices.Contains(cells, a) {
			cells = append(cells, a)
		}
	}
	for _, a := range cells {
		got := w.answer(a, "")
		if got.stateChoice("w1", w, "").text == target.text {
			if right == nil {
				right = &a
			}
			continue
		}
		for _, q := range shuffled(r, listMistakes...) {
			if w.answer(a, q.name).stateChoice("w1", w, "").text == target.text {
				if used[q.name] {
					spare = append(spare, a)
				} else {
					wrong = append(wrong, a)
				}
				used[q.name] = true
				replies[a] = "It gives this. " + got.stateChoice("w1", w, "").text + ". " + q.reply
				break
			}
		}
	}
	wrong = append(wrong, spare...)
	if right == nil || len(wrong) < 2 {
		return nil
	}
	asks := shuffled(r, append([]listRequest{*right}, wrong[:min(len(wrong), maxChoices-1)]...)...)
	var choices, requests []string
	for i, a := range asks {
		name := fmt.Sprintf("w%d", i+1)
		b := wanted.stateChoice(name, w, "")
		choices = append(choices, "- "+strings.ToUpper(a.text()[:1])+a.text()[1:])
		for _, f := range b.conditions {
			choices = append(choices, "  "+f)
		}
		if a != *right {
			choices = append(choices, fmt.Sprintf("  reply %q", replies[a]))
		}
		requests = append(requests, "# @name "+name+"\nGET /api/v1/namespaces/p11b/secrets"+queryLines(a.parameters()...))
	}
	v["answer"], v["choices"] = target.text, strings.Join(choices, "\n")
	v["requests"] = joinRequests(requests...)
	return v
}

// p11c draws a cell, whether the cache is frozen, and whether V is compacted. What is the status?
func p11c(r *rand.Rand) Values {
	w, v := drawListCase(r, "p11c", r.IntN(2) == 0)
	delete(v, "states")
	w.compacted = r.IntN(3) > 0
	a := drawCell(r)
	if a.version != "" && r.IntN(3) == 0 {
		a.version = "new"
	}
	right := w.answer(a, "")
	words := map[int]string{200: "200", 400: "400", 410: "410", 422: "422", 504: "504, after 3 s"}
	status := func(g listAnswer, reply string) choice {
		return choice{outcome{words[g.status], []string{fmt.Sprintf("w.response.status = %d", g.status)}}, reply}
	}
	var others []choice
	for _, q := range listMistakes {
		if got := w.answer(a, q.name); got.status != right.status {
			others = append(others, status(got, q.reply))
		}
	}
	more := map[int]string{
		200: "Think of what the request needs: here that is not available, or does not go together.",
		410: "410 is for a state that is needed exactly, and is gone.",
		422: "422 is for a match without a version, with a token, or exactly `0`. This is none of these.",
		504: "504 is for a version that the cache does not have yet.",
		400: "400 is for a token with a version beside it.",
	}
	for _, n := range shuffled(r, 200, 410, 422, 504) {
		if n != right.status {
			others = append(others, status(listAnswer{status: n}, more[n]))
		}
	}
	v["choices"] = writeShuffledChoices(r, status(right, ""), others...)
	v["gone"], v["compact"] = "The history is kept.", ""
	if w.compacted {
		v["gone"] = "After all that, the history is compacted up to the creation of `x`."
		v["compact"] = "\n\n###\nPOST " + wellknown.ControlPlane + "/compact\n\n" +
			`{"revision": {{made-x.response.body.metadata.resourceVersion}}}`
	}
	v["query"], v["asked"] = queryLines(a.parameters()...), a.text()
	return v
}
