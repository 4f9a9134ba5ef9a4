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
var fieldValidation = map[string]Generator{"p18a": p18a, "p18b": p18b, "p18c": p18c}

// A fieldMistake is something wrong in a ConfigMap's body.
type fieldMistake struct {
	body string // what is in it besides the name; %s is in metadata, after the name
	// kind is unknown, twice, type or value: fields that are dropped, and those that make
	// the whole object wrong.
	kind string
}

// p18a draws a mistake, a method and a level of field validation. What are the status and the message?
func p18a(r *rand.Rand) Values {
	s := pick(r,
		fieldMistake{`"labels": {"on": "y"}`, "unknown"}, fieldMistake{`"spec": {"k": "1"}`, "unknown"},
		fieldMistake{`"Data": {"k": "1"}`, "unknown"},
		fieldMistake{`"data": {"k": "1", "k": "2"}`, "twice"}, fieldMistake{`"data": {"a": "1", "a": "9"}`, "twice"},
		fieldMistake{`"data": {"k": 1}`, "type"}, fieldMistake{`"immutable": "no"`, "type"},
		fieldMistake{`"data": {"k": true}`, "type"},
		fieldMistake{`"data": {"a b": "1"}`, "value"})
	verb, level := pick(r, "POST", "PUT", "PATCH"), pick(r, "", "Ignore", "Warn", "Strict")
	query, said := "", "without the parameter `fieldValidation`"
	if level != "" {
		query, said = "?fieldValidation="+level, "with `fieldValidation="+level+"`"
	}
	path, header, done := "/api/v1/namespaces/p18a/configmaps/c", "", "200"
	body := `{"metadata": {"name": "c"}, ` + s.body + `}`
	switch verb {
	case "POST":
		path, done = "/api/v1/namespaces/p18a/configmaps", "201"
		body = strings.Replace(body, `"c"`, `"new"`, 1)
	case "PATCH":
		header, body = "\nContent-Type: application/merge-patch+json", "{"+s.body+"}"
		said = "as a merge patch, " + said
	}
	saying := func(status, warns, reply string) choice {
		text := status
		conditions := []string{"write.response.status = " + status}
		if status == done {
			conditions = append(conditions, "write.response.headers.Warning is "+warns)
			text += ", and no warning"
			if warns == "present" {
				text = done + ", with a warning"
			}
		}
		return choice{outcome{text, conditions}, reply}
	}
	// expect returns what somebody expects who believes that the level is another, that Strict
	// has one status, that decoding forgives types, or that being there twice is no mistake.
	expect := func(level, refused string, forgives, once bool, reply string) choice {
		switch {
		case s.kind == "value":
			return saying("422", "", reply)
		case s.kind == "type" && !(forgives && level == "Ignore"):
			return saying(refused, "", reply)
		case s.kind == "type" || s.kind == "twice" && once || level == "Ignore":
			return saying(done, "absent", reply)
		case level == "Strict":
			return saying(refused, "", reply)
		}
		return saying(done, "present", reply)
	}
	refused, other := "400", "422"
	if verb == "PATCH" {
		refused, other = "422", "400"
	}
	real := level
	if real == "" {
		real = "Warn"
	}
	wrong := []choice{}
	if level == "" {
		wrong = append(wrong, expect("Strict", refused, false, false,
			"That takes kubectl's default for the server's. The server's is Warn."),
			expect("Ignore", refused, false, false,
				"That was so before v1.25. Now a server without a level says what it drops."))
	}
	switch s.kind {
	case "type", "value":
		wrong = append(wrong, saying(done, "absent",
			"That assumes that every mistake is ignored. Types and values are checked at every level."),
			saying(done, "present", "Warnings are for fields that can be dropped. A wrong value of a known field is refused."))
	default:
		wrong = append(wrong, expect("Warn", refused, false, false, "That is the level Warn. The request asks for another."),
			expect("Strict", refused, false, false, "That is the level Strict. The request asks for another."),
			expect("Ignore", refused, false, false, "That is the level Ignore, or assumes that the server drops fields "+
				"silently."))
	}
	wrong = append(wrong,
		expect(real, other, false, false,
			"POST and PUT fail when the body is decoded: 400. With a patch, the result fails: 422."),
		expect(real, refused, true, false,
			"That assumes that Ignore accepts a wrong type. Dropping it would not leave a valid object."),
		expect(real, refused, false, true,
			"That assumes that a duplicate key is not a mistake. The JSON is well-formed, but one value is lost."))
	if s.kind == "value" {
		wrong = append(wrong, saying("400", "",
			"The body can be decoded: the type is right. Validation finds what is wrong: 422."))
	}
	choices := writeChoices(3, 5, expect(real, refused, false, false, ""), wrong...)
	if choices == "" || (s.kind == "type" || s.kind == "value") && r.IntN(2) > 0 {
		return nil
	}
	return Values{"verb": verb, "path": path, "query": query, "said": said, "header": header, "body": body,
		"choices": choices}
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
