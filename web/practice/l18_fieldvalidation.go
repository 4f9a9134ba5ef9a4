//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// fieldValidation are the generators of lesson 18.
var fieldValidation = map[string]Generator{"p18b": p18b, "p18c": p18c}

// A fieldMistake is something wrong in a ConfigMap's body.
type fieldMistake struct {
	body string // what is in it besides the name; %s is in metadata, after the name
	// kind is unknown, twice, type or value: fields that are dropped, and those that make
	// the whole object wrong.
	kind string
}

// fieldWarning is a field that a ConfigMap does not take as it is, and the warning of it.
type fieldWarning struct{ top, inMetadata, data, warning string }

var fieldWarnings = []fieldWarning{
	{top: `"labels": {}`, warning: `unknown field "labels"`},
	{top: `"spec": {}`, warning: `unknown field "spec"`},
	{top: `"name": "x"`, warning: `unknown field "name"`},
	{inMetadata: `"label": {}`, warning: `unknown field "metadata.label"`},
	{inMetadata: `"spec": {}`, warning: `unknown field "metadata.spec"`},
	{inMetadata: `"data": {}`, warning: `unknown field "metadata.data"`},
	{data: `"k": "2"`, warning: `duplicate field "data.k"`},
}

// p18b draws four bodies that resemble each other, and the warnings of one of them.
func p18b(r *rand.Rand) Values {
	v := Values{}
	var sets []string
	var lists [][]fieldWarning
	for n := between(r, 1, 3); len(lists) < 4; {
		list := shuffled(r, fieldWarnings...)[:n]
		lists = append(lists, list)
		sets = append(sets, strings.Join(warningTexts(list), "\n"))
	}
	if !distinct(sets...) {
		return nil
	}
	meant := r.IntN(4)
	var shown, requests strings.Builder
	for _, text := range warningTexts(lists[meant]) {
		fmt.Fprintf(&shown, "Warning: 299 - %q\n", text)
	}
	beliefs := make([]choice, 4)
	for i, list := range lists {
		name := "b" + strconv.Itoa(i+1)
		body := bodyWithFields(name, list)
		conditions := []string{fmt.Sprintf("%s.response.headers.Warning.length = %d", name, len(warningTexts(lists[meant])))}
		for _, text := range warningTexts(lists[meant]) {
			conditions = append(conditions,
				fmt.Sprintf("%s.response.headers.Warning[*] contains %q", name, fmt.Sprintf("299 - %q", text)))
		}
		var has []string
		for _, text := range warningTexts(list) {
			has = append(has, "`"+text+"`")
		}
		beliefs[i] = choice{outcome{"`" + body + "`", conditions},
			"That one gets other warnings: " + strings.Join(has, ", ") + "."}
		fmt.Fprintf(&requests, "# @name %s\nPOST /api/v1/namespaces/p18b/configmaps\n\n%s\n\n###\n", name, body)
	}
	right := beliefs[meant]
	v["choices"] = writeChoices(4, 5, choice{outcome: right.outcome}, slices.Delete(beliefs, meant, meant+1)...)
	v["warnings"] = strings.TrimSpace(shown.String())
	v["requests"] = strings.TrimSuffix(strings.TrimSpace(requests.String()), "\n\n###")
	return v
}

// warningTexts returns the warnings of fields, sorted.
func warningTexts(list []fieldWarning) []string {
	var out []string
	for _, w := range list {
		out = append(out, w.warning)
	}
	slices.Sort(out)
	return out
}

// bodyWithFields returns a ConfigMap with all these fields.
func bodyWithFields(name string, list []fieldWarning) string {
	metadata, top, data := fmt.Sprintf("%q: %q", "name", name), "", `"k": "1"`
	for _, w := range list {
		switch {
		case w.top != "":
			top += ", " + w.top
		case w.inMetadata != "":
			metadata += ", " + w.inMetadata
		default:
			data += ", " + w.data
		}
	}
	return `{"metadata": {` + metadata + `}, "data": {` + data + `}` + top + `}`
}

// p18c draws a schema that preserves unknown fields or not at three places, and an object with fields that it does not
// name. Which of them are stored?
func p18c(r *rand.Rand) Values {
	names := shuffled(r, "hall", "desk", "lamp", "shelf", "stove", "bench")
	odd := shuffled(r, "size", "colour", "owner", "price", "age", "mood")
	open := []bool{r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0}
	const preserve = `"x-kubernetes-preserve-unknown-fields": true`
	mark := func(at int) string {
		if open[at] {
			return ", " + preserve
		}
		return ""
	}
	first, second := names[0], names[1]
	schema := fmt.Sprintf(`{"type": "object"%s,
     "properties": {
      "made": {"type": "string"},
      %q: {"type": "object"%s,
       "properties": {"made": {"type": "string"}}},
      %q: {"type": "object"%s,
       "properties": {"made": {"type": "string"}}}}}`, mark(0), first, mark(1), second, mark(2))
	spec := fmt.Sprintf(`{"made": "1990", %q: 1,
  %q: {"made": "1991", %q: 2},
  %q: {"made": "1992", %q: 3}}`, odd[0], first, odd[1], second, odd[2])
	fields := []string{"spec." + odd[0], "spec." + first + "." + odd[1], "spec." + second + "." + odd[2]}
	stores := func(reply string, kept ...bool) choice {
		b := choice{outcome{"None of them", nil}, reply}
		var which []string
		for i, field := range fields {
			is := "absent"
			if kept[i] {
				is = "present"
				which = append(which, field)
			}
			b.conditions = append(b.conditions, "made.response.body."+field+" is "+is)
		}
		if len(which) > 0 {
			b.text = quoteNames(which)
		}
		return b
	}
	choices := writeChoices(3, 5, stores("", open...),
		stores("That was long ago, before custom types had to have a schema. Now it drops what it does not name.", true, true,
			true),
		stores("That overlooks the one exception that a schema can make: an object that keeps what it does not name.",
			false, false, false),
		stores("That assumes that an open object also opens the objects in it. "+
			"Each object with its own properties is checked separately.",
			open[0], open[0] || open[1], open[0] || open[2]),
		stores("That assumes that only the top level of the spec is checked. Pruning goes as deep as the schema "+
			"does.", false, true,
			true),
		stores("That reverses the meaning: true means that unknown fields stay.", !open[0], !open[1], !open[2]))
	if choices == "" {
		return nil
	}
	n := strconv.Itoa(between(r, 1000, 9999))
	return Values{"schema": schema, "spec": spec, "number": n, "choices": choices,
		"fields": "`" + fields[0] + "`, `" + fields[1] + "` and `" + fields[2] + "`"}
}
