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

// ownTypes are the generators of lesson 21.
var ownTypes = map[string]Generator{"p21a": p21a, "p21b": p21b, "p21c": p21c}

// potDefinition returns requests that define the type Pot in a group, with a schema of its spec, and wait until it is
// served: they make the cache a second late, and read the definition from it.
func potDefinition(group, spec string) string {
	const control = "PATCH " + wellknown.ControlPlane + "\nContent-Type: application/merge-patch+json\n\n" +
		`{"spec": {"cache": {"replicas": [%s]}}}`
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	return strings.Join([]string{
		replace(control, `{"lagSeconds": 1}`),
		fmt.Sprintf(`# @name defined
POST %s

{"metadata": {"name": "pots.%s"},
 "spec": {"group": "%s", "scope": "Namespaced", "names": {"plural": "pots", "kind": "Pot"},
  "versions": [{"name": "v1", "served": true, "storage": true, `+
			`"schema": {"openAPIV3Schema": {"type": "object", "properties": {
   "spec": %s}}}}]}}`, definitions, group, group, spec),
		"GET " + definitions + "/pots." + group + "?resourceVersion={{defined.response.body.metadata.resourceVersion}}",
		replace(control, "{}"),
	}, "\n\n###\n")
}

// potBody returns the body of a Pot.
func potBody(group, name, spec string) string {
	return fmt.Sprintf(`{"apiVersion": "%s/v1", "kind": "Pot", "metadata": {"name": "%s"}, "spec": {%s}}`, group, name,
		spec)
}

// p21a draws three requests to a built-in type or to a custom one. For each belief about custom types it says their
// statuses.
func p21a(r *rand.Rand) Values {
	const secret, lease, pot = 0, 1, 2
	paths := []string{
		"/api/v1/namespaces/p21a/secrets", "/apis/coordination.k8s.io/v1/namespaces/p21a/leases",
		"/apis/p21a.example/v1/namespaces/p21a/pots",
	}
	kinds := []string{
		`"apiVersion": "v1", "kind": "Secret", `, `"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", `,
		`"apiVersion": "p21a.example/v1", "kind": "Pot", `,
	}
	called := []string{"Secret", "Lease", "Pot"}
	type feature struct {
		said, method, suffix, header string
		body                         [3]string // %s is where kind and apiVersion go
		is                           [3]int    // what a Secret, a Lease and a Pot get
		second                       int       // what a Pot gets of whoever believes that a server does not look into it
	}
	all := func(s string) [3]string { return [3]string{s, s, s} }
	const patched = `{"metadata": {"labels": {"x": "1"}}}`
	features := []feature{
		{"strategic merge patch of `a`", "PATCH", "/a", "Content-Type: application/strategic-merge-patch+json", all(patched),
			[3]int{200, 200, 415}, 415},
		{"merge patch of `a`", "PATCH", "/a", "Content-Type: application/merge-patch+json", all(patched),
			[3]int{200, 200, 200}, 415},
		{"PUT of `a` without a version", "PUT", "/a", "", all(`{%s"metadata": {"name": "a"}}`), [3]int{200, 422, 422}, 200},
		{"list in Protobuf", "GET", "", "Accept: application/vnd.kubernetes.protobuf", all(""), [3]int{200, 200, 406}, 406},
		{"list as a Table", "GET", "", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io", all(""), [3]int{200, 200, 200},
			406},
		{"POST without `kind` and `apiVersion`", "POST", "", "", all(`{"metadata": {"name": "without-kind"}}`),
			[3]int{201, 201, 400}, 201},
		{"POST with a number where a text should be", "POST", "", "",
			[3]string{`{%s"metadata": {"name": "number"}, "type": 5}`,
				`{%s"metadata": {"name": "number"}, "spec": {"holderIdentity": 5}}`,
				`{%s"metadata": {"name": "number"}, "spec": {"plant": 5}}`}, [3]int{400, 400, 422}, 201},
		{"apply of one that does not exist", "PATCH", "/new?fieldManager=me", "Content-Type: application/apply-patch+yaml",
			all(`{%s"metadata": {"name": "new"}}`), [3]int{201, 201, 201}, 415},
		{"POST with an unknown field, at Strict", "POST", "?fieldValidation=Strict", "",
			all(`{%s"metadata": {"name": "strict"}, "colour": "red"}`), [3]int{400, 400, 400}, 201},
	}
	type request struct {
		feature
		kind int
	}
	var got []request
	for _, f := range shuffled(r, features...)[:3] {
		got = append(got, request{f, pick(r, secret, lease, pot, pot)})
	}
	then := func(status func(request) int) outcome {
		var f outcome
		var said []string
		for i, q := range got {
			said = append(said, strconv.Itoa(status(q)))
			f.conditions = append(f.conditions, fmt.Sprintf("r%d.response.status = %d", i+1, status(q)))
		}
		f.text = strings.Join(said, ", ")
		return f
	}
	choices := writeChoices(3, maxChoices, choice{outcome: then(func(q request) int { return q.is[q.kind] })},
		choice{then(func(q request) int { return q.is[secret] }),
			"A Pot is not entirely like a Secret, and neither is a Lease: " +
				"think of PUT, of the kind in the body, of Protobuf, of wrong types."},
		choice{then(func(q request) int { return q.is[pot] }),
			"Not every type is like a custom one: for built-in types the server knows more than a schema says."},
		choice{then(func(q request) int {
			if q.kind == pot {
				return q.second
			}
			return q.is[q.kind]
		}), "A custom object is checked against its schema, and has Tables, apply and field validation like the others."},
		choice{then(func(q request) int {
			if q.kind == lease {
				return q.is[secret]
			}
			return q.is[q.kind]
		}), "A Lease needs its version in a PUT, as custom objects do."})
	if choices == "" {
		return nil
	}
	v := Values{"choices": choices,
		"setup": potDefinition("p21a.example", `{"type": "object", "properties": {"plant": {"type": "string"}}}`) +
			"\n\n###\nPOST " + paths[pot] + "\n\n" + potBody("p21a.example", "a", "")}
	for i, q := range got {
		n := strconv.Itoa(i + 1)
		request := "# @name r" + n + "\n" + q.method + " " + paths[q.kind] + q.suffix + "\n"
		if q.header != "" {
			request += q.header + "\n"
		}
		if body := replace(q.body[q.kind], kinds[q.kind]); body != "" {
			request += "\n" + body + "\n"
		}
		v["said"+n], v["kind"+n], v["request"+n] = q.said, called[q.kind], request
	}
	return v
}

// p21b draws a schema and an object. For each belief about schemas it says what is stored, or which fields are refused.
func p21b(r *rand.Rand) Values {
	least, most, preset := between(r, 1, 3), between(r, 6, 9), pick(r, 0, 4, 5)
	litres := pick(r, "", "0", strconv.Itoa(least), "5", strconv.Itoa(most), "20", `"5"`, "2.5")
	plant := pick(r, "-", "", "fern", "fern", "a", "fern")
	shortest, colour := between(r, 0, 2), r.IntN(2) == 0
	required := r.IntN(2) == 0
	level := pick(r, "", "", "Strict", "Ignore")
	text, number := fmt.Sprintf("a text of %d characters at least", shortest),
		fmt.Sprintf("a whole number from %d to %d", least, most)
	schema := fmt.Sprintf(`"litres": {"type": "integer", "minimum": %d, "maximum": %d`, least, most)
	if preset > 0 {
		schema += fmt.Sprintf(`, "default": %d`, preset)
		number += fmt.Sprintf(", %d by default", preset)
	}
	schema = fmt.Sprintf(`{"type": "object", "properties": {"plant": {"type": "string", "minLength": %d}, %s}}`, shortest,
		schema)
	if required {
		schema += `, "required": ["plant"]`
		text += ", required"
	}
	schema += "}"
	var spec []string
	if plant != "-" {
		spec = append(spec, fmt.Sprintf(`"plant": %q`, plant))
	}
	if litres != "" {
		spec = append(spec, `"litres": `+litres)
	}
	if colour {
		spec = append(spec, `"colour": "red"`)
	}
	stored := func(litres string, colour bool) outcome {
		f := outcome{"201", []string{"answer.response.status = 201"}}
		if litres == "" {
			f.text += ", without `litres`"
			f.conditions = append(f.conditions, "answer.response.body.spec.litres is absent")
		} else {
			f.text += ", with `litres: " + litres + "`"
			f.conditions = append(f.conditions, "answer.response.body.spec.litres = "+strings.Trim(litres, `"`))
		}
		if colour {
			f.text += " and `colour`"
			f.conditions = append(f.conditions, "answer.response.body.spec.colour is present")
		} else {
			f.conditions = append(f.conditions, "answer.response.body.spec.colour is absent")
		}
		return f
	}
	refused := func(status int, fields ...string) outcome {
		f := outcome{strconv.Itoa(status), []string{fmt.Sprintf("answer.response.status = %d", status)}}
		if len(fields) > 0 {
			f.text += ", for `" + strings.Join(fields, "` and `") + "`"
			for _, x := range []string{"plant", "litres"} {
				op := "lacks"
				if slices.Contains(fields, x) {
					op = "contains"
				}
				f.conditions = append(f.conditions, "answer.response.body.details.causes[*].field "+op+" spec."+x)
			}
		}
		return f
	}
	given, isNumber := strconv.Atoi(litres)
	var wrongFields []string
	if plant == "-" && required || plant != "-" && len(plant) < shortest {
		wrongFields = append(wrongFields, "plant")
	}
	if litres != "" && (isNumber != nil || given < least || given > most) {
		wrongFields = append(wrongFields, "litres")
	}
	kept := litres
	if litres == "" && preset > 0 {
		kept = strconv.Itoa(preset)
	}
	right := stored(kept, false)
	switch {
	case colour && level == "Strict":
		right = refused(400)
	case len(wrongFields) > 0:
		right = refused(422, wrongFields...)
	}
	const typed = "Each object is checked against the schema: types, limits, lengths and what is required."
	wrong := []choice{
		{stored(kept, false), typed + " And Strict refuses fields that it does not have."},
		{refused(422, "litres"), "Look again at the limits, the type and the default of litres."},
		{refused(422, "plant"), "Look at the shortest length of plant, and whether it is required."},
	}
	if litres != kept {
		wrong = append(wrong, choice{stored(litres, false), "A default is filled in where a field is missing."})
	}
	if colour {
		wrong = append(wrong, choice{stored(kept, true),
			"A field that the schema does not have is dropped before the object is stored."},
			choice{refused(400), "An unknown field is refused at Strict alone; by default there is a Warning."})
	}
	choices := writeChoices(3, maxChoices, choice{outcome: right}, shuffled(r, wrong...)...)
	if choices == "" {
		return nil
	}
	query, said := "", "`fieldValidation` is not set."
	if level != "" {
		query, said = "?fieldValidation="+level, "`fieldValidation` is `"+level+"`."
	}
	object := strings.Join(spec, ", ")
	return Values{"text": text, "number": number, "object": object, "level": said, "query": query, "choices": choices,
		"setup": potDefinition("p21b.example", schema), "body": potBody("p21b.example", "a", object)}
}

// p21c draws a change of a definition under a watch. For each belief about the stored objects it says what the watch
// and a list show.
func p21c(r *rand.Rand) Values {
	const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/pots.p21c.example"
	const schema = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties"
	const patched = "PATCH " + path + "\nContent-Type: application/json-patch+json\n\n"
	litres, count := between(r, 2, 9), between(r, 1, 3)
	// What is there afterwards: the list's status; how many Pots, their litres and their colour.
	type shown struct {
		told, status, count int
		litres, colour      string
	}
	const silent, deleted, modified = 0, 1, 2
	then := func(s shown) outcome {
		f := outcome{}
		switch s.told {
		case silent:
			f.text, f.conditions = "No event", []string{"watch.response.events.length = 0"}
		case deleted:
			f.text, f.conditions = "`DELETED` for each", []string{"watch.response.events[0].type = DELETED"}
		default:
			f.text, f.conditions = "`MODIFIED` for each", []string{"watch.response.events[0].type = MODIFIED"}
		}
		f.conditions = append(f.conditions, fmt.Sprintf("late.response.status = %d", s.status))
		if s.status != 200 {
			f.text += fmt.Sprintf("; then %d", s.status)
			return f
		}
		f.conditions = append(f.conditions, fmt.Sprintf("late.response.body.items.length = %d", s.count))
		if s.count == 0 {
			f.text += "; then an empty list"
			return f
		}
		f.text += fmt.Sprintf("; then a list of %d", s.count)
		for _, x := range []struct{ name, value string }{{"litres", s.litres}, {"colour", s.colour}} {
			if x.value == "" {
				f.text += ", without `" + x.name + "`"
				f.conditions = append(f.conditions, "late.response.body.items[0].spec."+x.name+" is absent")
				continue
			}
			f.text += ", with `" + x.name + ": " + x.value + "`"
			f.conditions = append(f.conditions, "late.response.body.items[0].spec."+x.name+" = "+x.value)
		}
		return f
	}
	as := shown{silent, 200, count, strconv.Itoa(litres), ""}
	without, red := as, as
	without.litres, red.colour = "", "red"
	rewritten := func(s shown) shown { s.told = modified; return s }
	gone, empty, emptied := shown{told: deleted, status: 404}, shown{silent, 200, 0, "", ""},
		shown{deleted, 200, 0, "", ""}
	kept := shown{told: silent, status: 404}
	type change struct {
		said, request string
		right         shown
		wrong         []shown
		reply         []string
	}
	const rewrites = "A change of the schema writes no objects. " +
		"From now on they are read with the new schema; what is stored stays."
	const removes = "Objects are checked against the schema when they are written, not when the schema changes."
	const ignores = "The stored object is as it was. But it is read with the current schema."
	c := pick(r,
		change{"The definition is deleted.", "DELETE " + path, gone, []shown{kept, emptied, as}, []string{
			"They are deleted like any other object, one by one, before the definition is removed.",
			"With the definition the path is removed, too.",
			"Without the type no one could delete them. So they are deleted with it."}},
		change{"The definition's version is set to `served: false`.",
			patched + `[{"op": "replace", "path": "/spec/versions/0/served", "value": false}]`,
			kept, []shown{gone, empty, as}, []string{
				"The objects are still stored: only the path is gone. With served: true they are back.",
				"A version that is not served has no path at all.",
				"The watch is ended, and the path is gone, until the version is served again."}},
		change{fmt.Sprintf("The schema gets a maximum for `litres`: %d.", litres-1),
			patched + fmt.Sprintf(`[{"op": "add", "path": "%s/litres/maximum", "value": %d}]`, schema, litres-1),
			as, []shown{emptied, rewritten(without), {silent, 500, 0, "", ""}}, []string{removes, rewrites,
				"Objects are not checked when they are read. The next write of such an object will be refused."}},
		change{"`litres` is removed from the schema.", patched +
			fmt.Sprintf(`[{"op": "remove", "path": "%s/litres"}]`, schema),
			without, []shown{as, rewritten(without), emptied}, []string{ignores, rewrites, removes}},
		change{"The schema gets a field `colour`, by default `red`.",
			patched + fmt.Sprintf(`[{"op": "add", "path": "%s/colour", "value": {"type": "string", "default": "red"}}]`, schema),
			red, []shown{as, rewritten(red), emptied}, []string{
				"Defaults are set when an object is read as well, and not only when it is written.", rewrites, removes}},
		change{"The schema says that `plant` is required, which the Pots do not have.",
			patched + replace(`[{"op": "add", "path": "%s", "value": ["plant"]}]`,
				strings.Replace(schema, "/spec/properties", "/spec/required", 1)),
			as, []shown{emptied, {silent, 422, 0, "", ""}, rewritten(as)}, []string{
				removes, "Objects are not checked when they are read. The next write of such an object will be refused.",
				rewrites}},
	)
	var wrong []choice
	for i, s := range c.wrong {
		wrong = append(wrong, choice{then(s), c.reply[i]})
	}
	setup := []string{potDefinition("p21c.example",
		`{"type": "object", "properties": {"litres": {"type": "integer"}, "plant": {"type": "string"}}}`)}
	for _, name := range []string{"a", "b", "c"}[:count] {
		pot := potBody("p21c.example", name, fmt.Sprintf(`"litres": %d`, litres))
		setup = append(setup, "POST /apis/p21c.example/v1/namespaces/p21c/pots\n\n"+pot)
	}
	return Values{"said": c.said, "litres": strconv.Itoa(litres), "count": strconv.Itoa(count), "change": c.request,
		"setup":   strings.Join(setup, "\n\n###\n"),
		"choices": writeChoices(3, maxChoices, choice{outcome: then(c.right)}, wrong...)}
}
