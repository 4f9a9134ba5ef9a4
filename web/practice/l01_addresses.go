//go:build !js

package practice

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// addresses are the generators of lesson 1.
var addresses = map[string]Generator{"p01c": p01c}

// An apiType is a resource type whose objects need nothing but a name.
type apiType struct {
	group, version, plural, kind string
	namespaced                   bool
}

// namedTypes are namespaced types of which an object can be made of a name alone.
var namedTypes = []apiType{
	{"", "v1", "secrets", "Secret", true},
	{"", "v1", "configmaps", "ConfigMap", true},
	{"", "v1", "limitranges", "LimitRange", true},
	{"", "v1", "serviceaccounts", "ServiceAccount", true},
	{"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true},
	{"networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", true},
	{"rbac.authorization.k8s.io", "v1", "roles", "Role", true},
	{"coordination.k8s.io", "v1", "leases", "Lease", true},
}

// clusterTypes are cluster-scoped types.
var clusterTypes = []apiType{
	{"", "v1", "nodes", "Node", false},
	{"", "v1", "persistentvolumes", "PersistentVolume", false},
	{"scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false},
	{"storage.k8s.io", "v1", "storageclasses", "StorageClass", false},
	{"networking.k8s.io", "v1", "ingressclasses", "IngressClass", false},
	{"node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", false},
	{"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", false},
	{"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false},
}

// base returns the path of the type's group and version.
func (t apiType) base() string {
	if t.group == "" {
		return "/api/" + t.version
	}
	return "/apis/" + t.group + "/" + t.version
}

// in returns the path of the type's collection in a namespace.
func (t apiType) in(space string) string { return t.base() + "/namespaces/" + space + "/" + t.plural }

// groupVersion returns the type's group and version as discovery documents have it.
func (t apiType) groupVersion() string { return strings.TrimPrefix(t.group+"/"+t.version, "/") }

// A wrongPath is a path that learners may take for the right one, and the reply that says why it is not.
type wrongPath struct{ path, reply string }

// wrongPaths returns wrong paths that may come to mind for any type. rest is what follows the group and version in the
// right path, up to the resource.
func (t apiType) wrongPaths(rest string) []wrongPath {
	out := []wrongPath{
		{t.base() + rest + t.kind,
			"The kind is what an object says it is. A path has the type's plural name, in lower case."},
		{t.base() + rest + strings.ToLower(t.kind),
			"That is the name in the singular. A path has the one in the plural, `name` in discovery."},
	}
	if strings.HasSuffix(t.plural, "ies") || strings.HasSuffix(t.plural, "sses") {
		out = append(out, wrongPath{t.base() + rest + strings.ToLower(t.kind) + "s",
			"A plural is not always made with an s: it is the `name` in discovery."})
	}
	if t.group == "" {
		return append(out,
			wrongPath{"/apis/v1" + rest + t.plural,
				"After `/apis` comes a group, and v1 is a version. The core group has `/api`."},
			wrongPath{"/apis/core/v1" + rest + t.plural,
				"It is called the core group, but its name is the empty string. Its paths begin with `/api/v1`."})
	}
	return append(out,
		wrongPath{"/api/v1" + rest + t.plural, "Only the core group lives under `/api/v1`. This type is of the group " +
			t.group + "."},
		wrongPath{"/apis/v1/" + t.group + rest + t.plural,
			"First the group, then its version: each group has its own versions."},
		wrongPath{"/api/" + t.groupVersion() + rest + t.plural,
			"`/api` is for the core group alone. All others are under `/apis`."})
}

// p01a draws a collection of a type, and four paths that may be taken for its path.
func p01a(r *rand.Rand) Values {
	var t apiType
	var right, what string
	var wrong []wrongPath
	var conditions func(q string) []string // what is so if the answer to q is the right list
	names := ".response.body.items[*].metadata.namespace "
	switch pick(r, "one", "all", "cluster") {
	case "one":
		t = pick(r, namedTypes...)
		right, what = t.in("p01a"), "the objects of this type in the namespace `p01a`, and no others"
		conditions = func(q string) []string { return []string{q + names + "contains p01a", q + names + "lacks p01a-b"} }
		wrong = append(t.wrongPaths("/namespaces/p01a/"),
			wrongPath{t.base() + "/" + t.plural + "?namespace=p01a",
				"There is no such parameter, and the server ignores those that it does not know: that lists all namespaces."},
			wrongPath{t.base() + "/" + t.plural + "/p01a",
				"After the resource comes the name of one object. The namespace comes before the resource."},
			wrongPath{t.base() + "/p01a/" + t.plural, "The namespace needs the word before it: `namespaces/p01a`."})
	case "all":
		t = pick(r, namedTypes...)
		right, what = t.base()+"/"+t.plural, "the objects of this type in all namespaces"
		conditions = func(q string) []string { return []string{q + names + "contains p01a", q + names + "contains p01a-b"} }
		wrong = append(t.wrongPaths("/"),
			wrongPath{t.in("all"), "There is no namespace called all. The list is empty, and does not say so."},
			wrongPath{t.base() + "/namespaces/" + t.plural,
				"`namespaces` without a name is not the way to say all of them. Leave that part out."},
			wrongPath{t.in("default"), "`default` is a namespace like any other. A path without one means all of them."})
	default:
		t = pick(r, clusterTypes...)
		right, what = t.base()+"/"+t.plural, "the objects of this type"
		conditions = func(q string) []string { return []string{q + ".response.body.kind = " + t.kind + "List"} }
		wrong = append(t.wrongPaths("/"),
			wrongPath{t.in("p01a"), "The type is not namespaced. Its paths have no namespace, " +
				"and this one is not served."},
			wrongPath{t.in("default"), "The type is not namespaced, and `default` is a namespace like any other."},
			wrongPath{t.base() + "/cluster/" + t.plural,
				"There is no segment for the cluster in a path: just leave out the namespace."})
	}
	paths := append([]wrongPath{{path: right}}, shuffled(r, wrong...)[:3]...)
	v := Values{"what": what, "groupVersion": t.groupVersion(), "plural": t.plural, "kind": t.kind,
		"namespaced": strconv.FormatBool(t.namespaced), "right": right}
	made := t
	if !t.namespaced {
		made = namedTypes[0]
	}
	v["setup1"], v["setup2"] = made.in("p01a"), made.in("p01a-b")
	var choices, requests []string
	seen := map[string]bool{}
	for i, p := range shuffled(r, paths...) {
		if seen[p.path] {
			return nil
		}
		seen[p.path] = true
		q := "q" + strconv.Itoa(i+1)
		choices = append(choices, choiceLines("`"+p.path+"`", conditions(q), p.reply))
		requests = append(requests, "# @name "+q+"\nGET "+p.path)
	}
	v["choices"], v["requests"] = strings.Join(choices, "\n"), joinRequests(requests...)
	return v
}

// p01c draws four creates whose names may collide. For each belief about what a name has to differ from, it says which
// of them are refused.
func p01c(r *rand.Rand) Values {
	type thing struct{ kind, space, name string }
	paths := map[string]string{
		"Secret": "/api/v1/namespaces/%s/secrets", "Lease": "/apis/coordination.k8s.io/v1/namespaces/%s/leases",
	}
	v := Values{}
	var things []thing
	for i := range 4 {
		t := thing{pick(r, "Secret", "Lease"), pick(r, "p01c", "p01c-b"), pick(r, "a", "b")}
		things = append(things, t)
		n := strconv.Itoa(i + 1)
		v["kind"+n], v["space"+n], v["name"+n], v["path"+n] = t.kind, t.space, t.name, replace(paths[t.kind], t.space)
	}
	beliefs := map[string]func(thing) any{
		"name":  func(t thing) any { return t.name },
		"space": func(t thing) any { return [2]string{t.space, t.name} },
		"kind":  func(t thing) any { return t },
	}
	counts := []int{}
	for belief, key := range beliefs {
		seen, refused := map[any]bool{}, 0
		for i, t := range things {
			status := "201"
			if seen[key(t)] {
				status = "409"
				refused++
			}
			seen[key(t)] = true
			v[belief+"Status"+strconv.Itoa(i+1)] = status
		}
		v[belief+"Count"] = strconv.Itoa(refused)
		counts = append(counts, refused)
	}
	// Most draws that are any good have nothing refused: they would tell the answer.
	if !distinct(counts...) || v["kindCount"] == "0" && between(r, 1, 5) > 1 {
		return nil
	}
	return v
}
