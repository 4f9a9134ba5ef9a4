//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

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

// writesBetweenPages draws a collection, a limit, and writes before each later page. What is on the page that is asked
// about?
func writesBetweenPages(r *rand.Rand) Values {
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
	requests := []string{fmt.Sprintf("# @name page1\nGET /api/v1/namespaces/writes-between-pages/secrets?limit=%d", limit)}
	for i := range page - 1 {
		kind, what := writes[i][0], writes[i][1]
		verb := map[string]string{"POST": "created", "DELETE": "deleted"}[kind]
		said = append(said, fmt.Sprintf("`%s` is %s.", what, verb),
			fmt.Sprintf("Page %d is read, with the token of page %d.", i+2, i+1))
		requests = append(requests, secretRequest(fmt.Sprintf("write%d", i+2), "writes-between-pages", kind, what),
			fmt.Sprintf("# @name page%d\nGET /api/v1/namespaces/writes-between-pages/secrets?limit=%d&"+
				"continue={{page%d.response.body.metadata.continue}}", i+2,
				limit, i+1))
	}
	return Values{
		"setup": createSecrets("writes-between-pages", names), "names": namesText(names), "limit": fmt.Sprint(limit),
		"said": "1. " + strings.Join(said, "\n1. "),
		"page": fmt.Sprint(page), "choices": choices, "requests": joinRequests(requests...),
	}
}
