//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// jsonList returns strings as a list in JSON.
func jsonList(names []string) string {
	if len(names) == 0 {
		return "[]"
	}
	return `["` + strings.Join(names, `", "`) + `"]`
}

// A terminatingSecret is a Secret that was deleted, as somebody with wrong beliefs expects it to be.
type terminatingSecret struct {
	gone, deleting bool
	finalizers     []string
	// What somebody believes: that a DELETE removes at once, that a deletion can be taken
	// back, that finalizers can be added to the end, that only the first may go.
	atOnce, undone, longer, ordered bool
}

// A finalizerStep is something that is done to a terminating Secret.
type finalizerStep struct{ what, finalizer string }

func (d *terminatingSecret) apply(b finalizerStep) {
	if d.gone {
		return
	}
	switch b.what {
	case "delete":
		d.deleting = true
	case "undo":
		d.deleting = d.deleting && !d.undone
	case "add":
		if !d.deleting || d.longer {
			d.finalizers = append(slices.Clone(d.finalizers), b.finalizer)
		}
	case "take":
		at := slices.Index(d.finalizers, b.finalizer)
		if at == 0 || at > 0 && !d.ordered {
			d.finalizers = slices.Delete(slices.Clone(d.finalizers), at, at+1)
		}
	}
	d.gone = d.deleting && (len(d.finalizers) == 0 || b.what == "delete" && d.atOnce)
}

// belief returns the choice that a GET finds the Secret in this state.
func (d *terminatingSecret) belief(reply string) choice {
	if d.gone {
		return choice{outcome{"404: it is gone", []string{"end.response.status = 404"}}, reply}
	}
	conditions := []string{"end.response.status = 200", "end.response.body.metadata.deletionTimestamp is absent"}
	text := "It is there, and not being deleted"
	if d.deleting {
		conditions[1] = "end.response.body.metadata.deletionTimestamp is present"
		text = "It is being deleted"
	}
	if len(d.finalizers) == 0 {
		conditions = append(conditions, "end.response.body.metadata.finalizers is absent")
		return choice{outcome{text + "; it has no finalizers", conditions},
			reply}
	}
	return choice{outcome{text + "; its finalizers: " + quoteNames(d.finalizers),
		append(conditions, finalizerConditions("end", d.finalizers)...)}, reply}
}

// finalizerConditions returns the conditions that an answer's object has exactly these finalizers.
func finalizerConditions(row string, finalizers []string) []string {
	out := []string{fmt.Sprintf("%s.response.body.metadata.finalizers.length = %d", row, len(finalizers))}
	sorted := slices.Sorted(slices.Values(finalizers))
	for _, f := range sorted {
		out = append(out, row+".response.body.metadata.finalizers contains "+f)
	}
	return out
}

const targetPath = "/api/v1/namespaces/finalizer-requests/secrets/s"

// finalizerRequests draws finalizers, and what is done to a Secret that has them. In which state is it then?
func finalizerRequests(r *rand.Rand) Values {
	start := shuffled(r, "lab.io/a", "lab.io/b", "lab.io/c")[:pick(r, 1, 1, 2, 2, 3)]
	real := terminatingSecret{finalizers: start}
	models := []terminatingSecret{
		{finalizers: start, atOnce: true}, {finalizers: start, undone: true},
		{finalizers: start, longer: true}, {finalizers: start, ordered: true},
	}
	first := between(r, 0, 1)
	var table, requests strings.Builder
	for i := range 4 {
		if real.gone {
			return nil
		}
		b := finalizerStep{what: pick(r, "take", "take", "take", "add", "undo", "data", "delete")}
		if i == first {
			b.what = "delete"
		}
		merge := func(body string) string {
			return "PATCH " + targetPath + "\nContent-Type: application/merge-patch+json\n\n" + body
		}
		said, request := "", ""
		switch b.what {
		case "delete":
			said, request = "DELETE", "DELETE "+targetPath
		case "undo":
			said, request = "PATCH: the `deletionTimestamp` is set to null", merge(`{"metadata": {"deletionTimestamp": null}}`)
		case "data":
			said, request = "PATCH: data is written", merge(`{"data": {"k": "bmV3"}}`)
		case "add":
			b.finalizer = "lab.io/late"
			if slices.Contains(real.finalizers, b.finalizer) {
				return nil
			}
			said = "PATCH: `lab.io/late` is added to the finalizers"
			request = merge(`{"metadata": {"finalizers": ` + jsonList(append(slices.Clone(real.finalizers), b.finalizer)) + `}}`)
		case "take":
			if len(real.finalizers) == 0 {
				return nil
			}
			b.finalizer = pick(r, real.finalizers...)
			left := slices.DeleteFunc(slices.Clone(real.finalizers), func(f string) bool { return f == b.finalizer })
			said = "PATCH: `" + b.finalizer + "` is removed"
			request = merge(`{"metadata": {"finalizers": ` + jsonList(left) + `}}`)
		}
		real.apply(b)
		for k := range models {
			models[k].apply(b)
		}
		fmt.Fprintf(&table, "| %d | %s |\n", i+1, said)
		fmt.Fprintf(&requests, "%s\n\n###\n", request)
	}
	choices := writeChoices(3, 5, real.belief(""),
		models[0].belief("That is what the 200 of a DELETE seems to say. "+
			"An object that has finalizers is removed when they are gone."),
		models[1].belief("A deletion cannot be undone. The server keeps the timestamp, whatever a client writes there."),
		models[2].belief("To an object that is being deleted no finalizer can be added. Such a write is refused with 422."),
		models[3].belief("Finalizers may be removed in any order."))
	if choices == "" || !real.gone && r.IntN(5) > 0 { // most do not go
		return nil
	}
	return Values{"finalizers": quoteNames(start), "list": jsonList(start), "table": strings.TrimSpace(table.String()),
		"requests": strings.TrimSpace(requests.String()), "choices": choices}
}

// threeControllers draws three controllers that may wait for one another. Whose finalizers are left when all have done
// what they can?
func threeControllers(r *rand.Rand) Values {
	list := shuffled(r, "lab.io/a", "lab.io/b", "lab.io/c")
	waits, some := map[string]string{}, false
	var table, never strings.Builder
	for _, f := range list {
		if other := pick(r, list...); other != f {
			waits[f], some = other, true
			fmt.Fprintf(&table, "| `%s` | when `%s` is removed |\n", f, other)
			fmt.Fprintf(&never, "- `%s` was not removed while `%s` was there\n", f, other)
			fmt.Fprintf(&never, "  early%d: no MODIFIED in tail\n  before end\n", len(waits))
			fmt.Fprintf(&never, "  object.metadata.finalizers lacks %s\n  object.metadata.finalizers contains %s\n", f, other)
		} else {
			fmt.Fprintf(&table, "| `%s` | at any time |\n", f)
		}
	}
	if !some {
		return nil
	}
	left := slices.Clone(list)
	var solution strings.Builder
	for moved := true; moved; {
		moved = false
		for _, f := range left {
			if slices.Contains(left, waits[f]) {
				continue
			}
			left = slices.DeleteFunc(slices.Clone(left), func(other string) bool { return other == f })
			fmt.Fprintf(&solution, "###\nPATCH /api/v1/namespaces/three-controllers/secrets/s\n"+
				"Content-Type: application/merge-patch+json\n\n"+
				"{\"metadata\": {\"finalizers\": %s}}\n\n", jsonList(left))
			moved = true
			break
		}
	}
	ordered := slices.Clone(list)
	for len(ordered) > 0 && !slices.Contains(ordered, waits[ordered[0]]) {
		ordered = ordered[1:]
	}
	waiting := slices.DeleteFunc(slices.Clone(list), func(f string) bool { return waits[f] == "" })
	state := func(finalizers []string, reply string) choice {
		d := terminatingSecret{deleting: true, gone: len(finalizers) == 0, finalizers: finalizers}
		b := d.belief(reply)
		b.text = "These stay: " + quoteNames(slices.Sorted(slices.Values(finalizers)))
		if d.gone {
			b.text = "None: the Secret is removed"
		}
		return b
	}
	choices := writeChoices(3, 5, state(left, ""),
		state(ordered, "That assumes an order from first to last. Each may be removed at any time, as far as the "+
			"server is concerned."),
		state(waiting, "That assumes that those that wait at the beginning wait forever. What they wait for may happen."),
		state(nil, "That overlooks that two may wait for each other, directly or through a third."),
		state(list, "That assumes that one that has to wait holds the others. Each follows its own rule."))
	if choices == "" || len(left) == 0 && r.IntN(4) > 0 { // most go
		return nil
	}
	status, conds := "404", ""
	if len(left) > 0 {
		status = "200"
		for _, fact := range finalizerConditions("", left) {
			conds += "\n  " + strings.TrimPrefix(fact, ".") +
				`    else "One of them may still be removed, or one was removed that may not be."`
		}
	}
	return Values{"finalizers": quoteNames(list), "list": jsonList(list), "table": strings.TrimSpace(table.String()),
		"choices": choices,
		"never":   strings.TrimSpace(never.String()), "solution": strings.TrimSpace(solution.String()), "status": status,
		"conds": conds}
}
