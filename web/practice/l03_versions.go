//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// versions are the generators of lesson 3.
var versions = map[string]Generator{"p03a": p03a, "p03b": p03b, "p03c": p03c}

// nameSets are names, some of which sort differently as text and as numbers.
var nameSets = [][]string{
	{"a", "b", "c", "d"}, {"ant", "bee", "cat", "dog"}, {"v9", "v10", "v11", "v100"},
	{"web-1", "web-2", "web-10", "web-20"},
	{"8", "9", "10", "11"}, {"k-99", "k-100", "k-101", "k-9"},
}

// p03a draws objects that are created in an order, one of which is patched later, and beliefs about their order in a
// list and about which version is the newest.
func p03a(r *rand.Rand) Values {
	natural := pick(r, nameSets...)
	if natural[3] == "k-9" {
		natural = []string{"k-9", "k-99", "k-100", "k-101"}
	}
	n := between(r, 3, 4)
	created := shuffled(r, natural...)[:n]
	natural = slices.DeleteFunc(slices.Clone(natural), func(s string) bool { return !slices.Contains(created, s) })
	byName := slices.Sorted(slices.Values(created))
	patched, changes := pick(r, created[:n-1]...), between(r, 0, 2) > 0
	newest := created[n-1]
	label := "1"
	if changes {
		newest, label = patched, "2"
	}
	byVersion := append(slices.DeleteFunc(slices.Clone(created), func(s string) bool { return s == newest }), newest)
	type belief struct {
		order  []string
		newest string
		reply  string
	}
	right := belief{byName, newest, ""}
	beliefs := shuffled(r,
		belief{created, newest, "They are not listed in the order of creation. The store keeps them sorted by name."},
		belief{byVersion, newest, "A list is not ordered by version. If it were, a change would move an object to the end."},
		belief{byName, byName[n-1], "The place in the list says nothing about age: compare the versions."},
		belief{byName, byName[0], "The place in the list says nothing about age: compare the versions."},
		belief{natural, newest,
			"Names are compared as text, character by character. The numbers in them do not matter."},
		belief{byName, created[n-1], "That one was created last. But a change gives an object a new version, too."},
		belief{byName, patched, "That one was patched last. But the patch has changed nothing, so the version has stayed."},
	)
	chosen, texts := []belief{}, []string{}
	for _, b := range append([]belief{right}, beliefs...) {
		text := "`" + strings.Join(b.order, "`, `") + "`; the latest version is that of `" + b.newest + "`"
		if slices.Contains(texts, text) || len(chosen) == 4 {
			continue
		}
		chosen, texts = append(chosen, b), append(texts, text)
	}
	if len(chosen) < 4 {
		return nil
	}
	var choices []string
	for i, b := range chosen {
		var conditions []string
		at := slices.Index(b.order, b.newest)
		for j, name := range b.order {
			conditions = append(conditions, fmt.Sprintf("list.response.body.items[%d].metadata.name = %s", j, name))
			if j != at {
				version := "list.response.body.items[%d].metadata.resourceVersion"
				conditions = append(conditions, fmt.Sprintf(version+" > {{"+version+"}}", at, j))
			}
		}
		choices = append(choices, choiceLines(texts[i], conditions, b.reply))
	}
	v := Values{"patched": patched, "label": label, "names": "`" +
		strings.Join(created, "`, `") + "`"}
	v["choices"] = strings.Join(shuffled(r, choices...), "\n")
	var requests []string
	for _, name := range created {
		requests = append(requests, "POST /api/v1/namespaces/p03a/secrets\n\n"+`{"metadata": {"name": "`+name+
			`", "labels": {"x": "1"}}}`)
	}
	v["requests"] = strings.Join(requests, "\n\n###\n")
	return v
}

// A writeCase is a write and its description.
type writeCase struct {
	text, request string
}

// secretPatch returns the lines above the body of a merge patch of a Secret.
func secretPatch(name string) string {
	return "PATCH /api/v1/namespaces/p03b/secrets/" + name + "\nContent-Type: application/merge-patch+json\n\n"
}

// writeCases are writes to the Secret a, which has the label x: "1", or to something else. Some change the version of
// a, some that of the list, some none.
var writeCases = []writeCase{
	{"a PATCH sets the label `x` of `a` to the value that it has",
		secretPatch("a") + `{"metadata": {"labels": {"x": "1"}}}`},
	{"a PATCH gives `a` a new label",
		secretPatch("a") + `{"metadata": {"labels": {"n%d": "1"}}}`},
	{"a PATCH with `dryRun=All` gives `a` a new label",
		secretPatch("a?dryRun=All") + `{"metadata": {"labels": {"d%d": "1"}}}`},
	{"a Lease is created", "POST /apis/coordination.k8s.io/v1/namespaces/p03b/leases\n\n" +
		`{"metadata": {"name": "l%d"}}`},
	{"the Secret `b` gets a new label",
		secretPatch("b") + `{"metadata": {"labels": {"n%d": "1"}}}`},
	{"a Lease is created with `dryRun=All`",
		"POST /apis/coordination.k8s.io/v1/namespaces/p03b/leases?dryRun=All\n\n" + `{"metadata": {"name": "d%d"}}`},
	{"a PATCH of `a` with an old version in it is refused",
		secretPatch("a") + `{"metadata": {"resourceVersion": "1", "labels": {"old": "1"}}}`},
	{"a DELETE of a Secret that does not exist is refused", "DELETE /api/v1/namespaces/p03b/secrets/nothing"},
	{"the Secret `b` is read with a GET", "GET /api/v1/namespaces/p03b/secrets/b"},
	{"a PATCH gives `a` the label `t`, and another removes it again",
		secretPatch("a") + `{"metadata": {"labels": {"t": "1"}}}` +
			"\n\n###\n" + secretPatch("a") + `{"metadata": {"labels": {"t": null}}}`},
	{"a third Secret is created", "POST /api/v1/namespaces/p03b/secrets\n\n" + `{"metadata": {"generateName": "c-"}}`},
	{"a PUT of `a` sends what it has already",
		"PUT /api/v1/namespaces/p03b/secrets/a\n\n" + `{"metadata": {"name": "a", "labels": {"x": "1"}}}`},
}

// p03b draws the writes between two reads of an object and its collection.
func p03b(r *rand.Rand) Values {
	all := shuffled(r, writeCases...)[:between(r, 2, 3)]
	for i, w := range all {
		// A PUT of what there was at the beginning has to come before other changes.
		if strings.HasPrefix(w.text, "a PUT") && i > 0 {
			return nil
		}
	}
	var texts, requests []string
	for i, w := range all {
		texts = append(texts, strconv.Itoa(i+1)+". "+w.text)
		requests = append(requests, strings.ReplaceAll(w.request, "%d", strconv.Itoa(i+1)))
	}
	return Values{"happens": strings.Join(texts, "\n"), "requests": strings.Join(requests, "\n\n###\n")}
}

// A writeMethod describes how a client sets the label COLOUR.
type writeMethod string

const (
	putVersioned writeMethod = "adds `COLOUR` to what was read, and sends all of it as a PUT, " +
		"with the version that was read"
	putUnversioned   writeMethod = "adds `COLOUR` to what was read, and sends all of it as a PUT, but without a version"
	patchVersioned   writeMethod = "sends a merge patch with `COLOUR` alone, and the version that was read"
	patchUnversioned writeMethod = "sends a merge patch with `COLOUR` alone, and without a version"
)

// A writeOutcome is the statuses of two writes, and whether the labels red and blue are there in the end.
type writeOutcome struct {
	first, second int
	red, blue     bool
}

// A serverBelief is how a learner believes that a server treats writes.
type serverBelief struct {
	refusesStale func(k writeMethod) bool // whether it refuses a write from an old reading
	replaces     func(k writeMethod) bool // whether a write replaces what it does not mention
	needsVersion bool                     // whether it refuses a PUT without a version
}

// A reading is what a client has read: the version, and which labels there were.
type reading struct {
	version   int
	red, blue bool
}

// run carries out the reads and writes of two clients as a server of this belief would: r and w are the read and the
// write of the client that sets red, R and W those of the one that sets blue.
func (s serverBelief) run(turns string, kinds map[rune]writeMethod) (writeOutcome, map[rune]reading) {
	version, red, blue := 1, false, false
	read := map[rune]reading{}
	var statuses []int
	for _, turn := range turns {
		if turn == 'r' || turn == 'R' {
			read[turn] = reading{version, red, blue}
			continue
		}
		had, kind := read[turn-'w'+'r'], kinds[turn]
		switch put := kind == putVersioned || kind == putUnversioned; {
		case s.needsVersion && kind == putUnversioned:
			statuses = append(statuses, 422)
			continue
		case had.version != version && s.refusesStale(kind):
			statuses = append(statuses, 409)
			continue
		case put && s.replaces(kind):
			red, blue = had.red || turn == 'w', had.blue || turn == 'W'
		case !put && s.replaces(kind):
			red, blue = turn == 'w', turn == 'W'
		default:
			red, blue = red || turn == 'w', blue || turn == 'W'
		}
		statuses = append(statuses, 200)
		version++
	}
	return writeOutcome{statuses[0], statuses[1], red, blue}, read
}

// text returns the text of the outcome's choice.
func (o writeOutcome) text() string {
	labels := "neither label"
	switch {
	case o.red && o.blue:
		labels = "both labels"
	case o.red:
		labels = "only `red`"
	case o.blue:
		labels = "only `blue`"
	}
	return fmt.Sprintf("`%d`, then `%d`; at the end it has %s", o.first, o.second, labels)
}

// conditions returns the conditions under which a run has this outcome.
func (o writeOutcome) conditions() []string {
	label := func(name string, there bool) string {
		if there {
			return "end.response.body.metadata.labels." + name + " is present"
		}
		return "end.response.body.metadata.labels." + name + " is absent"
	}
	return []string{
		"write1.response.status = " + strconv.Itoa(o.first), "write2.response.status = " + strconv.Itoa(o.second),
		label("red", o.red), label("blue", o.blue),
	}
}

// p03c draws the order in which two clients read and write, how they write, and outcomes that learners expect.
func p03c(r *rand.Rand) Values {
	lease := pick(r, false, false, true)
	kinds := map[rune]writeMethod{
		'w': pick(r, putVersioned, putUnversioned, patchVersioned, patchUnversioned),
		'W': pick(r, putVersioned, putUnversioned, patchVersioned, patchUnversioned),
	}
	turns := pick(r, "rRwW", "rRWw", "RrwW", "RrWw", "rRwW", "rRWw", "rwRW", "RWrw")
	versioned := func(k writeMethod) bool { return k == putVersioned || k == patchVersioned }
	isPut := func(k writeMethod) bool { return k == putVersioned || k == putUnversioned }
	always := func(writeMethod) bool { return true }
	never := func(writeMethod) bool { return false }
	right, read := serverBelief{versioned, isPut, lease}.run(turns, kinds)
	beliefs := []struct {
		rules serverBelief
		reply string
	}{
		{serverBelief{never, isPut, false},
			"That is so if versions are not compared. A version that is sent is compared, in a PUT and in a patch."},
		{serverBelief{always, isPut, lease},
			"The server does not know what a client has read, unless the request has a version."},
		{serverBelief{never, never, false},
			"A server does not merge what two people want. A PUT is the whole object, and a version is a condition."},
		{serverBelief{versioned, always, lease}, "A patch leaves alone what it does not mention, and removes nothing."},
		{serverBelief{isPut, isPut, lease},
			"Whether it is a PUT does not matter. Whether a version was sent does, in a patch as well."},
		{serverBelief{versioned, isPut, !lease}, map[bool]string{
			true:  "Like custom resources, Leases do not accept a PUT without a version.",
			false: "Most types accept a PUT without a version, such as Secrets. Leases do not.",
		}[lease]},
	}
	outcomes := []writeOutcome{right}
	choices := []string{choiceLines(right.text(), right.conditions(), "")}
	for _, b := range shuffled(r, beliefs...) {
		o, _ := b.rules.run(turns, kinds)
		if slices.Contains(outcomes, o) || len(outcomes) == 4 {
			continue
		}
		outcomes = append(outcomes, o)
		choices = append(choices, choiceLines(o.text(), o.conditions(), b.reply))
	}
	if len(choices) < 3 {
		return nil
	}
	v := Values{"kind": "Secret", "collection": "/api/v1/namespaces/p03c/secrets"}
	if lease {
		v["kind"], v["collection"] = "Lease", "/apis/coordination.k8s.io/v1/namespaces/p03c/leases"
	}
	v["choices"] = strings.Join(shuffled(r, choices...), "\n")
	v.addTurns(turns, kinds, read)
	return v
}

// addTurns adds the values that describe the reads and writes of two clients: as text, as requests, and as rows.
func (v Values) addTurns(turns string, kinds map[rune]writeMethod, had map[rune]reading) {
	who := map[rune]string{'r': "Ada", 'w': "Ada", 'R': "Bob", 'W': "Bob"}
	colour := map[rune]string{'w': "red", 'W': "blue"}
	path := v["collection"] + "/o"
	var texts, requests []string
	writes := 0
	for i, turn := range turns {
		step := strconv.Itoa(i + 1)
		if turn == 'r' || turn == 'R' {
			name := "read" + who[turn]
			texts = append(texts, step+". "+who[turn]+" reads it.")
			requests = append(requests, "# @name "+name+"\nGET "+path)
			continue
		}
		writes++
		reader, kind, n := "read"+who[turn], kinds[turn], strconv.Itoa(writes)
		version := ""
		if kind == putVersioned || kind == patchVersioned {
			version = `"resourceVersion": "{{` + reader + `.response.body.metadata.resourceVersion}}", `
		}
		own := `"` + colour[turn] + `": "1"`
		labels := `"x": "1", `
		if was := had[turn-'w'+'r']; was.red {
			labels += `"red": "1", `
		} else if was.blue {
			labels += `"blue": "1", `
		}
		method, request := "PUT", `{"metadata": {"name": "o", `+version+`"labels": {`+labels+own+`}}}`
		header := ""
		if kind == patchVersioned || kind == patchUnversioned {
			method, request = "PATCH", `{"metadata": {`+version+`"labels": {`+own+`}}}`
			header = "Content-Type: application/merge-patch+json\n"
		}
		texts = append(texts, step+". "+who[turn]+" "+strings.ReplaceAll(string(kind), "COLOUR", colour[turn])+".")
		requests = append(requests, "# @name write"+n+"\n"+method+" "+path+"\n"+header+"\n"+request)
	}
	requests = append(requests, "# @name end\nGET "+path)
	v["texts"], v["requests"] = strings.Join(texts, "\n"), joinRequests(requests...)
}
