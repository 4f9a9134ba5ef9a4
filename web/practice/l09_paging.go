//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// paging are the generators of lesson 9.
var paging = map[string]Generator{"p09a": p09a, "p09b": p09b}

// A listPage is what a page of a list has on it, and how many objects are left after it.
type listPage struct {
	names []string
	left  int // after the page; 0: there is no token
}

// pageOf returns the page of the sorted names that come after a name, with at most limit of them; 0 is no limit.
func pageOf(names []string, after string, limit int) listPage {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n <= after })
	if limit == 0 || limit >= len(names) {
		return listPage{names, 0}
	}
	return listPage{names[:limit], len(names) - limit}
}

// choice returns the choice that the answer to the request of that name is this page.
func (p listPage) choice(name, reply string) choice {
	conditions := []string{name + ".response.status = 200",
		fmt.Sprintf("%s.response.body.items.length = %d", name, len(p.names))}
	for i, n := range p.names {
		conditions = append(conditions, fmt.Sprintf("%s.response.body.items[%d].metadata.name = %s", name, i, n))
	}
	text := "On it: " + namesText(p.names)
	if len(p.names) == 0 {
		text = "It is empty"
	}
	if p.left > 0 {
		text += fmt.Sprintf("; %d remain", p.left)
		conditions = append(conditions, fmt.Sprintf("%s.response.body.metadata.remainingItemCount = %d", name, p.left))
	} else {
		text += "; it is the last"
		conditions = append(conditions, name+".response.body.metadata.continue is absent")
	}
	return choice{outcome{text, conditions}, reply}
}

// secretRequest returns a request that creates (POST) or deletes (DELETE) a Secret.
func secretRequest(label, space, kind, name string) string {
	if kind == "POST" {
		return fmt.Sprintf("# @name %s\nPOST /api/v1/namespaces/%s/secrets\n\n{\"metadata\": {\"name\": %q}}", label, space,
			name)
	}
	return fmt.Sprintf("# @name %s\nDELETE /api/v1/namespaces/%s/secrets/%s", label, space, name)
}

// p09a draws a collection, a limit, and writes before each later page. What is on the page that is asked about?
func p09a(r *rand.Rand) Values {
	letters := strings.Split("bdfhjlnpr", "")
	names := letters[:between(r, 5, len(letters))]
	limit, page := between(r, 2, 3), between(r, 2, 3)
	now := slices.Clone(names)
	var writes [2][2]string // kind and name, before page 2 and page 3
	for i := range page - 1 {
		kind, name := "DELETE", pick(r, names...)
		if r.IntN(2) == 0 {
			kind, name = "POST", pick(r, "a", "c", "e", "g", "i", "k", "m")
			if name > names[len(names)-1] {
				return nil
			}
		}
		if kind == "POST" == slices.Contains(now, name) {
			return nil
		}
		writes[i] = [2]string{kind, name}
		if kind == "POST" {
			now = append(now, name)
			slices.Sort(now)
		} else {
			now = slices.DeleteFunc(now, func(n string) bool { return n == name })
		}
	}
	seen := (page - 1) * limit
	if seen >= len(names) {
		return nil
	}
	after := names[seen-1]
	name := fmt.Sprintf("page%d", page)
	right := pageOf(names, after, limit)
	if page == 2 && right.left == 0 && r.IntN(2) == 0 {
		return nil
	}
	both := slices.Clone(now) // what was there then and is there now
	both = slices.DeleteFunc(both, func(n string) bool { return !slices.Contains(names, n) })
	shop := listPage{}
	if seen < len(now) {
		shop = pageOf(now, now[seen-1], limit)
	}
	choices := writeShuffledChoices(r, right.choice(name, ""),
		pageOf(now, after, limit).choice(name,
			"That would be the current state. A token contains the version of the first page, as of which all pages are read."),
		shop.choice(name, "That would count again in the current state, as a page in a web shop does. "+
			"A token contains a position and a version, and nothing has moved in that version."),
		pageOf(both, after, limit).choice(name,
			"That would leave out what is gone by now. Nothing of the state at the token's version is left out."),
		listPage{right.names, right.left + min(right.left, 1)*len(right.names)}.choice(name,
			"What remains is what comes after this page. The page itself does not count."),
	)
	if choices == "" {
		return nil
	}
	// The text and the requests, page by page.
	said := []string{"The first page is read."}
	requests := []string{fmt.Sprintf("# @name page1\nGET /api/v1/namespaces/p09a/secrets?limit=%d", limit)}
	for i := range page - 1 {
		kind, what := writes[i][0], writes[i][1]
		verb := map[string]string{"POST": "created", "DELETE": "deleted"}[kind]
		said = append(said, fmt.Sprintf("`%s` is %s.", what, verb),
			fmt.Sprintf("Page %d is read, with the token of page %d.", i+2, i+1))
		requests = append(requests, secretRequest(fmt.Sprintf("write%d", i+2), "p09a", kind, what),
			fmt.Sprintf("# @name page%d\nGET /api/v1/namespaces/p09a/secrets?limit=%d&"+
				"continue={{page%d.response.body.metadata.continue}}", i+2,
				limit, i+1))
	}
	return Values{
		"setup": createSecrets("p09a", names), "names": namesText(names), "limit": fmt.Sprint(limit), "said": "1. " +
			strings.Join(said, "\n1. "),
		"page": fmt.Sprint(page), "choices": choices, "requests": joinRequests(requests...),
	}
}

// p09b draws how a client read two parts of a list. Do they show one state, and all of it?
func p09b(r *rand.Rand) Values {
	letters := strings.Split("bdfhjlnpr", "")
	names := letters[:between(r, 5, len(letters))]
	limit := between(r, 2, 3)
	kind, name := "DELETE", pick(r, names...)
	if r.IntN(2) == 0 {
		kind, name = "POST", pick(r, "a", "c", "e", "g", "i")
	}
	verb := map[string]string{"POST": "created", "DELETE": "deleted"}[kind]
	path := "/api/v1/namespaces/p09b/secrets"
	rest := len(names) - limit
	second := pick(r, 0, 1, 2, 3, rest) // the limit of the second part; 0: none
	if second > rest {
		second = 0
	}
	way := pick(r, "token", "token", "fresh", "again")
	const (
		whole = "One state, and all of it"
		part  = "One state, but not all of it"
		mixed = "Parts of two states"
	)
	after := names[limit-1]
	left := names
	if way != "token" {
		left = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
		if kind == "POST" {
			left = append(left, name)
			slices.Sort(left)
		}
	}
	last := ""
	var steps, requests []string
	get := func(name, parameters string) {
		requests = append(requests, "# @name "+name+"\nGET "+path+parameters)
	}
	steps = append(steps, fmt.Sprintf("A first page with `limit=%d`. **The client keeps it.**", limit),
		fmt.Sprintf("`%s` is %s.", name, verb))
	get("part1", fmt.Sprintf("?limit=%d", limit))
	requests = append(requests, secretRequest("write", "p09b", kind, name))
	size := "without a limit"
	if second > 0 {
		size = fmt.Sprintf("with `limit=%d`", second)
	}
	token := "part1"
	switch way {
	case "token":
		last = "A page " + size + " and the token of the first. **The client keeps it.**"
	case "fresh":
		steps = append(steps,
			"The history is compacted, and the token of the first page is answered 410, with another token.")
		requests = append(requests, "# @name compact\nPOST "+wellknown.ControlPlane+"/compact\n\n{}")
		get("expired", fmt.Sprintf("?limit=%d&continue={{part1.response.body.metadata.continue}}", limit))
		token = "expired"
		last = "A page " + size + " and that other token. **The client keeps it.**"
	case "again":
		steps = append(steps, fmt.Sprintf("Another first page with `limit=%d`, of which only the token is used.", limit))
		get("again", fmt.Sprintf("?limit=%d", limit))
		token = "again"
		after = left[limit-1]
		last = "A page " + size + " and the token of that one. **The client keeps it.**"
	}
	steps = append(steps, last)
	parameters := "?continue={{" + token + ".response.body.metadata.continue}}"
	if second > 0 {
		parameters = fmt.Sprintf("?limit=%d&", second) + parameters[1:]
	}
	get("part2", parameters)
	ends := pageOf(left, after, second)
	replies := map[string]string{
		whole: "Compare the `resourceVersion` of the two parts: they are of two states. " +
			"A token that is offered with a 410, or comes from another list, leads to another state.",
		part: "The parts have two versions. Whether something is missing does not matter any more: " +
			"there is no single version for the list.",
		mixed: "The token contains the version of the first page. " +
			"Neither a write nor another limit changes what it leads to, as the `resourceVersion` of both shows.",
	}
	if way == "token" {
		replies[whole] = "The last page that was kept has a token, so more is to come. " +
			"How many items it has does not show that."
		replies[part] = "The last page that was kept has no token, so this is all. That it is as full as its limit " +
			"allows says nothing."
	} else if ends.left == 0 {
		replies[part] = "Nothing is missing at the end. But the parts have two versions: that is not a state that ever " +
			"existed."
	}
	same := "part1.response.body.metadata.resourceVersion = {{part2.response.body.metadata.resourceVersion}}"
	answers := map[string]choice{
		whole: {outcome{whole, []string{same, "part2.response.body.metadata.continue is absent"}}, replies[whole]},
		part:  {outcome{part, []string{same, "part2.response.body.metadata.continue is present"}}, replies[part]},
		mixed: {outcome{mixed, []string{strings.Replace(same, " = ", " != ", 1)}}, replies[mixed]},
	}
	right := mixed
	switch {
	case way == "token" && ends.left == 0:
		right = whole
	case way == "token":
		right = part
	}
	return Values{
		"setup": createSecrets("p09b", names), "names": namesText(names), "steps": "1. " + strings.Join(steps, "\n1. "),
		"choices":  writeShuffledChoices(r, answers[right], answers[whole], answers[part], answers[mixed]),
		"requests": joinRequests(requests...),
	}
}

