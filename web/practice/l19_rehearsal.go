//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// rehearsal are the generators of lesson 19.
var rehearsal = map[string]Generator{"p19a": p19a, "p19b": p19b, "p19c": p19c}

// p19a draws a write that may fail and a spelling of the parameter. For each belief about dry-runs it says what is
// answered, and what is there afterwards.
func p19a(r *rand.Rand) Values {
	type write struct {
		said, method, path, body, target string
		fine, status                     int
		changed                          string // the label by of the target after the real request
	}
	const patch, made = `{"metadata": {"labels": {"by": "me"}}}`, `{"metadata": {"name": "%s", "labels": {"by": "me"}}}`
	const versioned = `{"metadata": {"resourceVersion": "{{%s.response.body.metadata.resourceVersion}}", ` +
		`"labels": {"by": "me"}}}`
	w := pick(r,
		write{"A Secret `b` is created", "POST", "", replace(made, "b"), "b", 201, 201, "me"},
		write{"A Secret `a` is created again", "POST", "", replace(made, "a"), "a", 201, 409, "setup"},
		write{"A Secret with a name that is not allowed is created", "POST", "", replace(made, "b_"), "b_", 201, 422, ""},
		write{"Secret `a` is patched", "PATCH", "/a", patch, "a", 200, 200, "me"},
		write{"Secret `a` is patched, and the patch names the version before its last change", "PATCH", "/a",
			replace(versioned, "first"), "a",
			200, 409, "setup"},
		write{"Secret `a` is patched, and the patch names its current version", "PATCH", "/a", replace(versioned, "second"),
			"a",
			200, 200, "me"},
		write{"Secret `b` is patched, which does not exist", "PATCH", "/b", patch, "b", 200, 404, ""},
		write{"Secret `a` is replaced", "PUT", "/a", replace(made, "a"), "a", 200, 200, "me"},
		write{"Secret `b` is replaced, which does not exist", "PUT", "/b", replace(made, "b"), "b", 200, 404, ""},
		write{"Secret `a` is deleted", "DELETE", "/a", "", "a", 200, 200, ""},
		write{"Secret `b` is deleted, which does not exist", "DELETE", "/b", "", "b", 200, 404, ""},
	)
	before := ""
	if w.target == "a" {
		before = "setup"
	}
	query := pick(r, "dryRun=All", "dryRun=All", "dryRun=All", "dryrun=All", "dryRun=true", "dryRun=")
	then := func(status int, by string) outcome {
		f := outcome{fmt.Sprintf("%d, and afterwards there is no `%s`", status, w.target),
			[]string{fmt.Sprintf("answer.response.status = %d", status), "after.response.status = 404"}}
		if by != "" {
			f.text = fmt.Sprintf("%d, and afterwards `%s` has the label `by: %s`", status, w.target, by)
			f.conditions[1] = "after.response.body.metadata.labels.by = " + by
		}
		return f
	}
	right := then(w.status, before)
	meant := "This is a dry run: name and value of the parameter are right, so nothing is stored."
	switch query {
	case "dryrun=All":
		right = then(w.status, w.changed)
	case "dryRun=true", "dryRun=":
		right = then(422, before)
		meant = "A value of dryRun that is not All is refused. The server does not ignore it, and does not guess."
	}
	wrong := []choice{
		{then(w.status, before), "Only the parameter dryRun with the value All makes a dry run of a request. " +
			"Look at its spelling."},
		{then(w.status, w.changed), meant},
		{then(w.fine, before), "A dry run goes through all stages: " +
			"what would be refused for real is refused in a dry run, too."},
	}
	if query == "dryrun=All" {
		wrong = append(wrong, choice{then(400, before),
			"A parameter that the server does not know is ignored, not refused."})
	}
	switch {
	case w.method == "POST":
		wrong = append(wrong, choice{then(200, before),
			"The status is that of the real request: a create that works is answered 201."})
	case w.method == "DELETE":
		wrong = append(wrong, choice{then(405, before), "Dry runs work with all methods that write, including DELETE."})
	case w.status == 409:
		wrong = append(wrong, choice{then(412, before),
			"An outdated version is a 409 here, for real and in a dry run."})
	default:
		wrong = append(wrong, choice{then(202, before), "The status is that of the real request."})
	}
	choices := writeChoices(3, maxChoices, choice{outcome: right}, wrong...)
	if choices == "" {
		return nil
	}
	body := ""
	if w.method == "PATCH" {
		body = "Content-Type: application/merge-patch+json\n"
	}
	if w.body != "" {
		body += "\n" + w.body
	}
	return Values{"said": w.said, "query": query, "method": w.method, "path": w.path, "body": body, "target": w.target,
		"choices": choices}
}

// p19b draws an object and three of its fields. For each belief about dry-runs it says which of the fields are the same
// when the object is created.
func p19b(r *rand.Rand) Values {
	const (
		given = iota // in the body
		fixed        // follows from it
		drawn        // at random
		taken        // from what is free
	)
	type field struct {
		path string
		kind int
	}
	named := pick(r, true, false)
	name := field{"metadata.name", given}
	meta := `"name": "n"`
	if !named {
		name, meta = field{"metadata.name", drawn}, `"generateName": "n-"`
	}
	uid := field{"metadata.uid", drawn}
	type object struct {
		kind, path, body string
		fields           []field
	}
	port := strconv.Itoa(pick(r, 80, 443, 8080))
	o := pick(r,
		object{"Service", "/api/v1/namespaces/p19b/services", `"spec": {"ports": [{"port": ` + port + `}]}`, []field{
			name, uid, {"spec.clusterIP", taken}, {"spec.ports[0].targetPort", fixed}, {"spec.type", fixed},
			{"spec.ports[0].port", given}}},
		object{"Service", "/api/v1/namespaces/p19b/services", `"spec": {"type": "NodePort", "ports": [{"port": ` + port +
			`}]}`, []field{
			name, uid, {"spec.ports[0].nodePort", taken}, {"spec.clusterIP", taken}, {"spec.sessionAffinity", fixed},
			{"spec.type", given}}},
		object{"Pod", "/api/v1/namespaces/p19b/pods", `"spec": {"containers": [{"name": "a", "image": "nginx"}]}`, []field{
			name, uid, {"spec.restartPolicy", fixed}, {"spec.containers[0].imagePullPolicy", fixed},
			{"spec.containers[0].image", given}}},
		object{"Secret", "/api/v1/namespaces/p19b/secrets", `"stringData": {"k": "` + port + `"}`, []field{
			name, uid, {"type", fixed}, {"data.k", given}}},
	)
	fields := shuffled(r, o.fields...)[:3]
	same := func(holds func(field) bool) outcome {
		var f outcome
		var kept []string
		for _, x := range fields {
			op := "!="
			if holds(x) {
				op, kept = "=", append(kept, "`"+x.path+"`")
			}
			f.conditions = append(f.conditions,
				fmt.Sprintf("real.response.body.%s %s {{rehearsed.response.body.%s}}", x.path, op, x.path))
		}
		switch len(kept) {
		case 0:
			f.text = "None of the three"
		case 1:
			f.text = kept[0] + " alone"
		case 2:
			f.text = kept[0] + " and " + kept[1]
		default:
			f.text = "All three"
		}
		return f
	}
	right := same(func(f field) bool { return f.kind == given || f.kind == fixed })
	choices := writeChoices(3, maxChoices, choice{outcome: right},
		choice{same(func(field) bool { return true }),
			"The server keeps nothing of a dry run, so what is random or allocated differs the next time."},
		choice{same(func(f field) bool { return f.kind == given }),
			"What follows from the body by fixed rules is the same each time, though it is not in the body."},
		choice{same(func(f field) bool { return f.kind != drawn }),
			"Addresses and ports are allocated for real, and a dry run keeps none."},
		choice{same(func(f field) bool { return f.path != "metadata.uid" }),
			"Not only the uid differs: generated names, addresses and ports do, too."},
		choice{same(func(f field) bool { return f.kind == fixed }),
			"What is in the body is the same in both answers."},
		choice{same(func(field) bool { return false }),
			"A dry run's answer is as close to the real one as it can be. What is in the body or follows from it is the same."})
	if choices == "" {
		return nil
	}
	v := Values{"kind": o.kind, "path": o.path, "body": "{\"metadata\": {" + meta + "},\n " + o.body + "}",
		"choices": choices}
	for i, f := range fields {
		v["field"+strconv.Itoa(i+1)] = f.path
	}
	return v
}

// p19c draws a Role and a dry run. For each belief about dry-runs it says whether it is allowed.
func p19c(r *rand.Rand) Values {
	type kind struct{ group, resource, path string }
	k := pick(r, kind{"", "secrets", "/api/v1/namespaces/p19c/secrets"},
		kind{"", "configmaps", "/api/v1/namespaces/p19c/configmaps"},
		kind{"rbac.authorization.k8s.io", "roles", "/apis/rbac.authorization.k8s.io/v1/namespaces/p19c/roles"})
	type write struct {
		method, name, body, verb string
		status                   int
	}
	w := pick(r,
		write{"POST", "", `{"metadata": {"name": "b"}}`, "create", 201},
		write{"PUT", "/a", `{"metadata": {"name": "a", "labels": {"by": "me"}}}`, "update", 200},
		write{"PATCH", "/a", `{"metadata": {"labels": {"by": "me"}}}`, "patch", 200},
		write{"DELETE", "/a", "", "delete", 200},
		write{"DELETE", "", "", "deletecollection", 200})
	verbs := shuffled(r, "get", "list", "create", "update", "patch", "delete", "deletecollection")[:between(r, 2, 4)]
	if r.IntN(2) == 0 && !slices.Contains(verbs, w.verb) {
		verbs[0] = w.verb
	}
	allowed := outcome{strconv.Itoa(w.status), []string{fmt.Sprintf("answer.response.status = %d", w.status)}}
	missing := func(verb string) outcome {
		return outcome{"403: `cannot " + verb + "`", []string{"answer.response.status = 403",
			`answer.response.body.message contains "cannot ` + verb + ` "`}}
	}
	right := missing(w.verb)
	if slices.Contains(verbs, w.verb) {
		right = allowed
	}
	wrong := []choice{
		{allowed, "A dry run needs the same right as the real request, and the Role does not give it."},
		{missing(w.verb), "The Role has this verb, and nothing else is needed."},
	}
	if w.verb != "update" && !slices.Contains(verbs, "update") {
		wrong = append(wrong, choice{missing("update"),
			"update is the verb of PUT alone. It does not cover all writes."})
	}
	if w.verb == "deletecollection" {
		wrong = append(wrong, choice{missing("delete"), "Without a name in the path, the verb is deletecollection."})
	}
	wrong = append(wrong, choice{missing("dryrun"),
		"A query parameter has no verb. A dry run needs what the real request needs."})
	body := ""
	if w.method == "PATCH" {
		body = "Content-Type: application/merge-patch+json\n"
	}
	if w.body != "" {
		body += "\n" + w.body
	}
	return Values{"group": k.group, "resource": k.resource, "collection": k.path, "verbs": `"` +
		strings.Join(verbs, `", "`) + `"`,
		"method": w.method, "name": w.name, "body": body,
		"choices": writeChoices(3, maxChoices, choice{outcome: right}, wrong...)}
}
