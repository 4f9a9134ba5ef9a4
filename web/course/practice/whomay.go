//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A traineeRequest is a request of the user trainee, and its status if the Role allows it.
type traineeRequest struct {
	method, path, query, body, header string
	status                            int
}

// text returns the request under a name.
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

// smallestRole draws what a client does. The probes are requests that the smallest Role for it refuses.
func smallestRole(r *rand.Rand) Values {
	type kind struct{ group, resource, path, called string }
	const core = "/api/v1/namespaces/smallest-role/"
	k := pick(r, kind{"", "secrets", core + "secrets", "Secrets"},
		kind{"", "configmaps", core + "configmaps", "ConfigMaps"},
		kind{"coordination.k8s.io", "leases", "/apis/coordination.k8s.io/v1/namespaces/smallest-role/leases", "Leases"},
		kind{"", "resourcequotas", core + "resourcequotas", "ResourceQuotas"})
	to := func(method, path, query, body, header string, status int) traineeRequest {
		return traineeRequest{method, path, query, body, header, status}
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
		rules  []string
	}
	rule := func(group, resource, rest string) string {
		return fmt.Sprintf(`{"apiGroups": [%q], "resources": [%q], "verbs": %s}`, group, resource, rest)
	}
	verbs := func(list string) []string { return []string{rule(k.group, k.resource, list)} }
	const onlyX = `, "resourceNames": ["x"]`
	c := pick(r,
		client{"a reflector of the " + k.called, []traineeRequest{list, watch}, []traineeRequest{get, one},
			verbs(`["list", "watch"]`)},
		client{"a reflector of the " + k.called + ", which marks one of them with a label",
			[]traineeRequest{list, watch, patch},
			[]traineeRequest{get, one}, verbs(`["list", "watch", "patch"]`)},
		client{"one that reads the " + k.called + " page by page", []traineeRequest{page}, []traineeRequest{watch, get},
			verbs(`["list"]`)},
		client{"one that watches a single one of the " + k.called + ", `x`", []traineeRequest{named, watched},
			[]traineeRequest{list, watch, get},
			verbs(`["list", "watch"]` + onlyX)},
		client{"one that keeps `x` of the " + k.called + " up to date", []traineeRequest{get, patch},
			[]traineeRequest{list, to("GET", k.path+"/y", "", "", "", 200), to("PATCH", k.path+"/y", "", patched, merge, 200)},
			verbs(`["get", "patch"]` + onlyX)},
		client{"one that deletes all " + k.called, []traineeRequest{all}, []traineeRequest{list, one},
			verbs(`["deletecollection"]`)},
		client{"one that evicts Pods", []traineeRequest{evict}, []traineeRequest{pod, log, gone},
			[]string{rule("", "pods/eviction", `["create"]`)}},
		client{"one that shows the logs of Pods", []traineeRequest{log}, []traineeRequest{pod, gone},
			[]string{rule("", "pods/log", `["get"]`)}},
		client{"one that shows Pods and their logs", []traineeRequest{pod, log}, []traineeRequest{gone, list},
			[]string{rule("", "pods", `["get"]`), rule("", "pods/log", `["get"]`)}},
		client{"one that reads the " + k.called + " and evicts Pods", []traineeRequest{list, evict},
			[]traineeRequest{get, pod, gone},
			append(verbs(`["list"]`), rule("", "pods/eviction", `["create"]`))})
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
		"rows":   strings.Join(rows, "\n"), "rules": strings.Join(c.rules, ",\n ")}
}
