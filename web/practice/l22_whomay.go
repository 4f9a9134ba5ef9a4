//go:build !js

package practice

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// whoMay are the generators of lesson 22.
var whoMay = map[string]Generator{"p22a": p22a, "p22b": p22b, "p22c": p22c}

// A traineeRule is a rule of the Role of the user trainee.
type traineeRule struct {
	group, resource string
	verbs, names    []string
}

// json returns the rule as a Role has it.
func (x traineeRule) json() string {
	list := func(words []string) string { return `["` + strings.Join(words, `", "`) + `"]` }
	names := ""
	if len(x.names) > 0 {
		names = `, "resourceNames": ` + list(x.names)
	}
	return fmt.Sprintf(`{"apiGroups": ["%s"], "resources": ["%s"], "verbs": %s%s}`, x.group, x.resource, list(x.verbs),
		names)
}

// text returns the rule in words.
func (x traineeRule) text() string {
	group := "of the core group"
	if x.group != "" {
		group = "of the group `" + x.group + "`"
	}
	names := ""
	if len(x.names) > 0 {
		names = " called `" + strings.Join(x.names, "` or `") + "`"
	}
	return fmt.Sprintf("`%s` for `%s` %s%s", strings.Join(x.verbs, "`, `"), x.resource, group, names)
}

// A traineeRequest is a request, and what is looked for in the rules.
type traineeRequest struct {
	said, method, path, query, body, header string
	group, resource                         string
	// verbs are needed, one after the other; name is compared if the request has one.
	verbs []string
	name  string
	// outside says that the request is not to the Role's namespace.
	outside bool
	status  int
	// mistaken are verbs that learners believe to be needed, with the replies.
	mistaken map[string]string
}

// missing returns a verb that the request needs and the rule does not allow, if there is one.
func (q traineeRequest) missing(x traineeRule) string {
	for _, verb := range q.verbs {
		named := len(x.names) == 0 || q.name != "" && slices.Contains(x.names, q.name)
		if q.outside || x.group != q.group || x.resource != q.resource || !slices.Contains(x.verbs, verb) || !named {
			return verb
		}
	}
	return ""
}

// text returns the request, sent as the user trainee.
func (q traineeRequest) text(name string) string {
	out := "# @name " + name + "\n" + q.method + " " + q.path
	if q.query != "" {
		out += "?" + q.query
	}
	out += "\nImpersonate-User: trainee\n"
	if q.header != "" {
		out += q.header + "\n"
	}
	if q.body != "" {
		out += "\n" + q.body + "\n"
	}
	return out
}

// traineeRequests returns requests in a namespace with the Secrets x and y and the Pod p.
func traineeRequests(ns string) []traineeRequest {
	core, merge := "/api/v1/namespaces/"+ns, "Content-Type: application/merge-patch+json"
	const method = "A verb in a rule is the API's, and not the HTTP method."
	const patched = `{"metadata": {"labels": {"by": "me"}}}`
	secret := func(said, method, path, query, body string, status int, verb, name string,
		mistaken map[string]string) traineeRequest {
		return traineeRequest{said: said, method: method, path: core + "/secrets" + path, query: query, body: body,
			resource: "secrets",
			verbs:    []string{verb}, name: name, status: status, mistaken: mistaken}
	}
	all := secret("lists the Secrets of all namespaces", "GET", "", "", "", 200, "list", "",
		map[string]string{"get": method})
	all.path, all.outside = "/api/v1/secrets", true
	other := secret("lists the Secrets of another namespace", "GET", "", "", "", 200, "list", "",
		map[string]string{"get": method})
	other.path, other.outside = core+"-b/secrets", true
	patch := secret("changes Secret `x` by a merge patch", "PATCH", "/x", "", patched, 200, "patch", "x",
		map[string]string{
			"update": "update is the verb of PUT alone.",
			"get":    "A patch reads the object on the server's side. No get is needed."})
	patch.header = merge
	return []traineeRequest{
		all, other, patch,
		secret("lists the Secrets", "GET", "", "", "", 200, "list", "",
			map[string]string{"get": "A GET of a collection is the verb list."}),
		secret("lists the Secrets called `x`", "GET", "", "fieldSelector=metadata.name=x", "", 200, "list", "x",
			map[string]string{"get": "It is a list, of one: the path has no name in it."}),
		secret("watches the Secrets", "GET", "", "watch=1&timeoutSeconds=1", "", 200, "watch", "",
			map[string]string{"get": "The verb of a watch is watch.",
				"list": "A watch without a list needs no list in the rule."}),
		secret("reads Secret `x`", "GET", "/x", "", "", 200, "get", "x",
			map[string]string{"list": "A GET with a name is get.", "read": "There is no verb read."}),
		secret("deletes Secret `x`", "DELETE", "/x", "", "", 200, "delete", "x",
			map[string]string{"deletecollection": "There is a name in the path."}),
		secret("deletes all Secrets at once", "DELETE", "", "", "", 200, "deletecollection", "",
			map[string]string{"delete": "Without a name in the path it is deletecollection."}),
		secret("creates a Secret", "POST", "", "", `{"metadata": {"name": "z"}}`, 201, "create", "",
			map[string]string{"post": method}),
		secret("replaces Secret `x`", "PUT", "/x", "", `{"metadata": {"name": "x"}}`, 200, "update", "x", map[string]string{
			"put": method, "patch": "patch is the verb of PATCH."}),
		{said: "reads the log of Pod `p`", method: "GET", path: core + "/pods/p/log", resource: "pods/log",
			verbs: []string{"get"}, name: "p", status: 204,
			mistaken: map[string]string{"log": "There is no verb log: the log is a resource, pods/log."}},
		{said: "reads Pod `p`", method: "GET", path: core + "/pods/p", resource: "pods", verbs: []string{"get"}, name: "p",
			status:   200,
			mistaken: map[string]string{"list": "A GET with a name is get."}},
		{said: "sends a PUT of a Lease that does not exist", method: "PUT", path: "/apis/coordination.k8s.io/v1/namespaces/" +
			ns + "/leases/l",
			body: `{"metadata": {"name": "l"}}`, group: "coordination.k8s.io", resource: "leases",
			verbs: []string{"update", "create"}, name: "l", status: 201, mistaken: map[string]string{"put": method}},
		{said: "applies a ConfigMap that does not exist", method: "PATCH", path: core + "/configmaps/c",
			query:    "fieldManager=me",
			header:   "Content-Type: application/apply-patch+yaml",
			body:     `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}`,
			resource: "configmaps", verbs: []string{"patch", "create"}, name: "c", status: 201,
			mistaken: map[string]string{"apply": "In rules there is no apply. It is a patch, and a create if it creates."}},
	}
}

// forbidden returns the outcome that the verb is refused with a 403.
func (q traineeRequest) forbidden(answer, verb string) outcome {
	return outcome{"403: `cannot " + verb + "`",
		[]string{answer + ".response.status = 403", answer + `.response.body.message contains "cannot ` + verb +
			` resource"`}}
}

// p22a draws a rule and a request. For each belief about rules it says whether the request is allowed.
func p22a(r *rand.Rand) Values {
	q := pick(r, traineeRequests("p22a")...)
	verbs := shuffled(r, "get", "list", "watch", "create", "update", "patch", "delete",
		"deletecollection")[:between(r, 1, 3)]
	for _, v := range q.verbs {
		if r.IntN(3) > 0 && !slices.Contains(verbs, v) {
			verbs = append(verbs, v)
		}
	}
	x := traineeRule{q.group, q.resource, verbs, nil}
	switch r.IntN(4) {
	case 0:
		x.names = []string{pick(r, "x", "y", q.name, q.name)}
		if x.names[0] == "" {
			return nil
		}
	case 1:
		if whole, _, sub := strings.Cut(q.resource, "/"); sub {
			x.resource = whole
		}
	}
	allowed := outcome{strconv.Itoa(q.status), []string{fmt.Sprintf("answer.response.status = %d", q.status)}}
	lists := q.verbs[0] == "list"
	if lists {
		allowed.text = "200, with all that is asked for"
		allowed.conditions = append(allowed.conditions, "answer.response.body.items.length > 0")
	}
	missing := q.missing(x)
	right := allowed
	if missing != "" {
		right = q.forbidden("answer", missing)
	}
	why := "Compare verb, resource and namespace of the request with the rule: one of them is not in it."
	switch {
	case q.outside:
		why = "A Role applies in its own namespace, and nowhere else."
	case len(x.names) > 0 && !slices.Contains(x.names, q.name):
		why = "The rule applies only to the names in it, and the request has another one or none."
	case x.resource != q.resource:
		why = "A rule for pods does not cover their subresources."
	case len(q.verbs) == 2 && slices.Contains(x.verbs, q.verbs[0]):
		why = "The request would create the object, and that needs create as well."
	}
	wrong := []choice{{allowed, why}}
	if len(q.verbs) == 2 {
		wrong = append(wrong, choice{q.forbidden("answer", q.verbs[1]),
			"This right is checked second, when there is no object to change. Is the first one there?"})
	}
	wrong = append(wrong, choice{q.forbidden("answer", q.verbs[0]),
		"The rule gives this verb, for this resource, in this namespace."})
	for _, verb := range []string{"get", "list", "update", "delete", "patch", "post", "put", "read", "log", "apply",
		"deletecollection"} {
		if reply := q.mistaken[verb]; reply != "" {
			wrong = append(wrong, choice{q.forbidden("answer", verb), reply})
		}
	}
	if lists {
		empty := outcome{"200 and an empty list",
			[]string{"answer.response.status = 200", "answer.response.body.items.length = 0"}}
		wrong = append(wrong, choice{empty,
			"A list is never filtered by rights: it is allowed as a whole, or refused."})
	}
	hidden := outcome{"404", []string{"answer.response.status = 404"}}
	wrong = append(wrong, choice{hidden, "A right that is missing is a 403, and never hidden."})
	return Values{"rule": x.json(), "said": x.text(), "does": q.said, "request": q.text("answer"),
		"choices": writeChoices(3, maxChoices, choice{outcome: right}, wrong...)}
}

// p22b draws a request that is refused, and four rules of which one allows it. The others are what a mistake would lead
// to.
func p22b(r *rand.Rand) Values {
	q := pick(r, slices.DeleteFunc(traineeRequests("p22b"), func(q traineeRequest) bool { return q.outside })...)
	type candidate struct {
		traineeRule
		reply string
	}
	right := candidate{traineeRule{q.group, q.resource, q.verbs, nil}, ""}
	wrong := []candidate{
		{traineeRule{q.group, q.resource, []string{strings.ToLower(q.method)}, nil},
			"A rule names verbs of the API, and not HTTP methods."},
		{traineeRule{pick(r, "core", "apps"), q.resource, q.verbs, nil},
			"The group has to be that of the path, and the core group is the empty string."},
	}
	add := func(x traineeRule, reply string) { wrong = append(wrong, candidate{x, reply}) }
	if len(q.verbs) == 2 {
		add(traineeRule{q.group, q.resource, q.verbs[:1], nil}, "This is not enough: the request would create the object.")
		add(traineeRule{q.group, q.resource, q.verbs[1:], nil},
			"The right to create is checked second. The first one is missing.")
	}
	for _, verb := range slices.Sorted(maps.Keys(q.mistaken)) {
		add(traineeRule{q.group, q.resource, []string{verb}, nil}, q.mistaken[verb])
	}
	if q.name == "" {
		add(traineeRule{q.group, q.resource, q.verbs, []string{"x", "y"}},
			"The request names no object, and so no rule with names covers it.")
	} else {
		add(traineeRule{q.group, q.resource, q.verbs, []string{"other"}}, "The name in the rule is not that of the object.")
	}
	if whole, _, sub := strings.Cut(q.resource, "/"); sub {
		add(traineeRule{q.group, whole, q.verbs, nil}, "A subresource is a separate resource in a rule.")
		add(traineeRule{q.group, whole + "/*", q.verbs, nil}, "There is no such pattern: pods/* matches nothing.")
	} else {
		add(traineeRule{q.group, strings.TrimSuffix(q.resource, "s"), q.verbs, nil},
			"Resources are written as in paths, in the plural.")
	}
	seen := map[string]bool{}
	wrong = slices.DeleteFunc(wrong, func(c candidate) bool {
		again := seen[c.json()]
		seen[c.json()] = true
		return again || q.missing(c.traineeRule) == ""
	})
	four := shuffled(r, append(shuffled(r, wrong...)[:3], right)...)
	var choices, requests []string
	for i, c := range four {
		n := strconv.Itoa(i + 1)
		choices = append(choices, fmt.Sprintf("- %s\n  r%s.response.status = %d", c.text(), n, q.status))
		if c.reply != "" {
			choices = append(choices, "  reply "+strconv.Quote(c.reply))
		}
		requests = append(requests, traineeRole("p22b", c.traineeRule), q.text("r"+n))
	}
	return Values{"does": q.said, "refused": q.text("refused"), "row": q.method + " " + q.path,
		"requests": strings.Join(requests, "\n###\n"),
		"choices":  strings.Join(choices, "\n")}
}

// traineeRole returns the request that gives the user trainee a Role with these rules.
func traineeRole(ns string, rules ...traineeRule) string {
	var all []string
	for _, x := range rules {
		all = append(all, x.json())
	}
	return fmt.Sprintf(`PATCH /apis/rbac.authorization.k8s.io/v1/namespaces/%s/roles/trainee
Content-Type: application/merge-patch+json

{"rules": [
 %s]}
`, ns, strings.Join(all, ",\n "))
}

// p22c draws what a client does. The probes are requests that the smallest Role for it refuses.
func p22c(r *rand.Rand) Values {
	type kind struct{ group, resource, path, called string }
	const core = "/api/v1/namespaces/p22c/"
	k := pick(r, kind{"", "secrets", core + "secrets", "Secrets"},
		kind{"", "configmaps", core + "configmaps", "ConfigMaps"},
		kind{"coordination.k8s.io", "leases", "/apis/coordination.k8s.io/v1/namespaces/p22c/leases", "Leases"},
		kind{"", "resourcequotas", core + "resourcequotas", "ResourceQuotas"})
	to := func(method, path, query, body, header string, status int) traineeRequest {
		return traineeRequest{method: method, path: path, query: query, body: body, header: header, status: status}
	}
	const merge = "Content-Type: application/merge-patch+json"
	const patched = `{"metadata": {"labels": {"by": "me"}}}`
	list, watch := to("GET", k.path, "", "", "", 200), to("GET", k.path, "watch=1&timeoutSeconds=1", "", "", 200)
	get, patch := to("GET", k.path+"/x", "", "", "", 200), to("PATCH", k.path+"/x", "", patched, merge, 200)
	one, all := to("DELETE", k.path+"/y", "", "", "", 200), to("DELETE", k.path, "", "", "", 200)
	page := to("GET", k.path, "limit=1", "", "", 200)
	named, watched := list, watch
	named.query, watched.query = "fieldSelector=metadata.name=x", "fieldSelector=metadata.name=x&watch=1&timeoutSeconds=1"
	pod := to("GET", core+"pods/p", "", "", "", 200)
	evict := to("POST", core+"pods/p/eviction", "", `{"metadata": {"name": "p"}}`, "", 201)
	log := to("GET", core+"pods/p/log", "", "", "", 204)
	gone := to("DELETE", core+"pods/p", "", "", "", 200)
	type client struct {
		said   string
		does   []traineeRequest
		probes []traineeRequest
		rules  []traineeRule
	}
	verbs := func(v ...string) []traineeRule { return []traineeRule{{k.group, k.resource, v, nil}} }
	only := func(v ...string) []traineeRule { return []traineeRule{{k.group, k.resource, v, []string{"x"}}} }
	of := func(resource string, v ...string) traineeRule { return traineeRule{"", resource, v, nil} }
	c := pick(r,
		client{"a reflector of the " + k.called, []traineeRequest{list, watch}, []traineeRequest{get, one},
			verbs("list", "watch")},
		client{"a reflector of the " + k.called + ", which marks one of them with a label",
			[]traineeRequest{list, watch, patch},
			[]traineeRequest{get, one}, verbs("list", "watch", "patch")},
		client{"one that reads the " + k.called + " page by page", []traineeRequest{page}, []traineeRequest{watch, get},
			verbs("list")},
		client{"one that watches a single one of the " + k.called + ", `x`", []traineeRequest{named, watched},
			[]traineeRequest{list, watch, get},
			only("list", "watch")},
		client{"one that keeps `x` of the " + k.called + " up to date", []traineeRequest{get, patch},
			[]traineeRequest{list, to("GET", k.path+"/y", "", "", "", 200), to("PATCH", k.path+"/y", "", patched, merge, 200)},
			only("get", "patch")},
		client{"one that deletes all " + k.called, []traineeRequest{all}, []traineeRequest{list, one},
			verbs("deletecollection")},
		client{"one that evicts Pods", []traineeRequest{evict}, []traineeRequest{pod, log, gone},
			[]traineeRule{of("pods/eviction", "create")}},
		client{"one that shows the logs of Pods", []traineeRequest{log}, []traineeRequest{pod, gone},
			[]traineeRule{of("pods/log", "get")}},
		client{"one that shows Pods and their logs", []traineeRequest{pod, log}, []traineeRequest{gone, list},
			[]traineeRule{of("pods", "get"), of("pods/log", "get")}},
		client{"one that reads the " + k.called + " and evicts Pods", []traineeRequest{list, evict},
			[]traineeRequest{get, pod, gone},
			append(verbs("list"), of("pods/eviction", "create"))})
	var does, probes, rows []string
	row := func(text, name string, q traineeRequest, status int, hint string) {
		rows = append(rows, fmt.Sprintf("- %s: `%s %s`\n  %s: %s %s -> %d    else %q\n"+
			"  request.headers.Impersonate-User = trainee",
			text, q.method, strings.TrimSuffix(q.path+"?"+q.query, "?"), name, q.method, q.path, status, hint))
		for _, parameter := range []string{"watch", "fieldSelector", "limit"} {
			condition := "is absent"
			for _, p := range strings.Split(q.query, "&") {
				if value, ok := strings.CutPrefix(p, parameter+"="); ok {
					condition = "= " + value
				}
			}
			if q.method == "GET" {
				rows = append(rows, "  request.query."+parameter+" "+condition)
			}
		}
	}
	for i, q := range c.does {
		name := "does" + strconv.Itoa(i+1)
		does = append(does, q.text(name))
		row("The client may", name, q, q.status, "Read the message: what is missing?")
	}
	for i, q := range c.probes {
		name := "probe" + strconv.Itoa(i+1)
		probes = append(probes, q.text(name))
		row("It may not", name, q, 403, "That Role allows more than the client needs.")
	}
	return Values{"said": c.said, "collection": k.path, "does": strings.Join(does, "\n###\n"),
		"probes": strings.Join(probes, "\n###\n"),
		"rows":   strings.Join(rows, "\n"), "role": traineeRole("p22c", c.rules...)}
}
