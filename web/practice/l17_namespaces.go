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

// namespaces are the generators of lesson 17.
var namespaces = map[string]Generator{"p17a": p17a, "p17c": p17c}

// p17a draws what is in a namespace that is being deleted, what of it has finalizers, and how much time passes. How
// many objects are left? The controller begins after 5 s, of which one has passed in the setup.
func p17a(r *rand.Rand) Values {
	names := slices.Sorted(slices.Values(shuffled(r, "a", "b", "c", "d", "e", "f")[:3]))
	held := slices.Sorted(slices.Values(shuffled(r, names...)[:between(r, 1, 2)]))
	late := r.IntN(2) == 0
	seconds := pick(r, 1, 2, 3)
	if late {
		seconds = pick(r, 6, 10, 20, 30, 60)
	}
	var table, setup strings.Builder
	for _, name := range names {
		said, metadata := "none", fmt.Sprintf("{%q: %q}", "name", name)
		if slices.Contains(held, name) {
			said, metadata = "`lab.io/hold`", fmt.Sprintf("{%q: %q, %q: [%q]}", "name", name, "finalizers", "lab.io/hold")
		}
		fmt.Fprintf(&table, "| `%s` | %s |\n", name, said)
		fmt.Fprintf(&setup, "POST /api/v1/namespaces/p17a/secrets\n\n{\"metadata\": %s}\n\n###\n", metadata)
	}
	rest := func(left []string, reply string) choice {
		b := choice{outcome{"None", nil}, reply}
		if len(left) > 0 {
			b.text = quoteNames(left)
		}
		switch {
		case !late:
			b.conditions = []string{fmt.Sprintf("left.response.body.items.length = %d", len(left))}
		case len(left) == 0:
			b.conditions = []string{"reported.object.status.conditions[3].status = False"}
		default:
			b.conditions = []string{fmt.Sprintf(`reported.object.status.conditions[3].message contains `+
				`"secrets. has %d resource"`,
				len(left))}
		}
		return b
	}
	right, row := names, "- The Secrets were listed\n  left: GET /api/v1/namespaces/p17a/secrets -> 200\n  "+
		"request.query.watch is absent"
	if late {
		right = held
		row = "- The controller has reported what is left\n  reported: MODIFIED in home\n  after wait\n  " +
			"object.status.conditions.length = 5"
	}
	choices := writeChoices(3, 5, rest(right, ""),
		rest(names, "That is all or nothing: as long as something is held, all would stay. Each object is deleted "+
			"individually."),
		rest(held, "That assumes that the API server deletes the objects at once. A controller does, and it waits "+
			"for 5 s before it begins."),
		rest(nil, "That assumes that a namespace skips the finalizers of the objects in it. Each object waits for its own."))
	if choices == "" {
		return nil
	}
	return Values{"table": strings.TrimSpace(table.String()), "setup": setup.String(), "seconds": strconv.Itoa(seconds),
		"row":     row,
		"choices": choices}
}

// Moments in the deletion of a namespace.
const (
	namespaceActive = iota
	namespaceTerminating
	namespaceEmptied
	namespaceGone
)

// p17c draws a moment in the deletion of a namespace, and three requests. What are their statuses?
func p17c(r *rand.Rand) Values {
	moment := pick(r, namespaceTerminating, namespaceEmptied, namespaceGone)
	type request struct {
		said, text string
		write      bool
		statuses   [4]int // by the moment
	}
	merge := "\nContent-Type: application/merge-patch+json\n\n" + `{"metadata": {"labels": {"on": "y"}}}`
	secrets := "/api/v1/namespaces/p17c/secrets"
	requests := []request{
		{"create a Secret", "POST " + secrets + "\n\n" + `{"metadata": {"name": "late"}}`, true, [4]int{201, 403, 403, 404}},
		{"label the Secret `free`", "PATCH " + secrets + "/free" + merge, true, [4]int{200, 200, 404, 404}},
		{"list the Secrets", "GET " + secrets, false, [4]int{200, 200, 200, 200}},
		{"read the namespace", "GET /api/v1/namespaces/p17c", false, [4]int{200, 200, 200, 404}},
		{"delete the namespace again", "DELETE /api/v1/namespaces/p17c", false, [4]int{200, 200, 200, 404}},
	}
	if moment != namespaceGone {
		requests = append(requests, request{"label the Secret `held`", "PATCH " + secrets + "/held" + merge, true,
			[4]int{200, 200, 200, 404}})
	}
	goesOn := "That assumes that everything works as long as the namespace is there. " +
		"Nothing can be created once it is being deleted."
	if moment == namespaceGone {
		goesOn = "That assumes that the namespace is still being deleted. Nothing was left in it, so it is gone."
	}
	drawn := shuffled(r, requests...)[:3]
	var table, run strings.Builder
	for i, q := range drawn {
		fmt.Fprintf(&table, "| %d | %s |\n", i+1, q.said)
		fmt.Fprintf(&run, "# @name q%d\n%s\n\n###\n", i+1, q.text)
	}
	guess := func(reply string, status func(q request) int) choice {
		b := choice{reply: reply}
		var texts []string
		for i, q := range drawn {
			n := strconv.Itoa(status(q))
			texts = append(texts, n)
			b.conditions = append(b.conditions, fmt.Sprintf("q%d.response.status = %s", i+1, n))
		}
		b.text = strings.Join(texts, ", ")
		return b
	}
	isList := func(q request) bool { return q.said == "list the Secrets" }
	choices := writeChoices(3, 5, guess("", func(q request) int { return q.statuses[moment] }),
		guess("That takes a 200 of the DELETE for the end. The namespace is removed when it is empty, and a list is "+
			"200 even then.",
			func(request) int {
				return 404
			}),
		guess("That makes a namespace read-only as soon as it is being deleted. "+
			"Existing objects may be written; only new ones are refused.",
			func(q request) int {
				if q.write && moment < namespaceGone {
					return 403
				}
				return q.statuses[moment]
			}),
		guess(goesOn,
			func(q request) int {
				if moment == namespaceGone && !isList(q) {
					return q.statuses[namespaceTerminating]
				}
				return q.statuses[namespaceActive]
			}),
		guess("That assumes that a list fails in a namespace that does not exist. A list does not check that.",
			func(q request) int {
				if moment == namespaceGone && isList(q) {
					return 404
				}
				return q.statuses[moment]
			}))
	if choices == "" {
		return nil
	}
	said, setup := namespaceMoment(moment)
	return Values{"said": said, "setup": setup, "table": strings.TrimSpace(table.String()),
		"requests": strings.TrimSuffix(strings.TrimSpace(run.String()), "\n\n###"),
		"choices":  choices}
}

// namespaceMoment returns the description of a moment, and the setup that leads to it. The cache is late for a while,
// so that a list takes a second, in which the controllers do their part.
func namespaceMoment(moment int) (said, setup string) {
	const (
		control = "PATCH " + wellknown.ControlPlane + "\nContent-Type: application/merge-patch+json\n\n"
		next    = "\n\n###\n"
		secrets = "POST /api/v1/namespaces/p17c/secrets\n\n"
		list    = "GET /api/v1/namespaces/p17c/secrets"
		gone    = "DELETE /api/v1/namespaces/p17c"
		free    = secrets + `{"metadata": {"name": "free"}}`
		held    = secrets + `{"metadata": {"name": "held", "finalizers": ["lab.io/hold"]}}`
		stop    = control + `{"spec": {"cache": {"replicas": [{"lagSeconds": 0}]}, "clock": {"paused": true}}}`
		late    = control + `{"spec": {"cache": {"replicas": [{"lagSeconds": 1}]}}}`
		advance = "POST " + wellknown.ControlPlane + "/advance\n\n" + `{"seconds": 6}`
		tick    = "POST /api/v1/namespaces/p17c-b/secrets\n\n" + `{"metadata": {"name": "tick"}}`
	)
	join := func(parts ...string) string { return strings.Join(parts, next) }
	switch moment {
	case namespaceTerminating:
		return "There are two Secrets in the namespace `p17c`: `free` has no finalizers, `held` has one. " +
				"The clock was stopped, then the namespace was deleted. No controller has done anything yet.",
			join(free, held, stop, gone)
	case namespaceEmptied:
		return "There were two Secrets in the namespace `p17c`: `free` without finalizers, `held` with one. " +
				"The namespace was deleted 7 s ago, and the clock is stopped now. The controller has done what it can.",
			join(late, free, held, gone, list, advance, tick, list, stop)
	}
	return "There was one Secret in the namespace `p17c`, `free`, without finalizers. The namespace was deleted 7 s " +
			"ago, " +
			"and the clock is stopped now. The controller has done what it can.",
		join(late, free, gone, list, advance, tick, list, stop)
}
