//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// shapes are the generators of lesson 14.
var shapes = map[string]Generator{"p14a": p14a, "p14c": p14c}

// definitionRequests returns the requests of a setup that create a CustomResourceDefinition, without waiting for it to
// be served, and those of a restore that delete it with its objects.
func definitionRequests(namespace, group, plural, kind, listKind string) (setup, restore string) {
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	merge := "\nContent-Type: application/merge-patch+json\n\n"
	at := definitions + "/" + plural + "." + group
	names := fmt.Sprintf(`{"plural": %q, "singular": %q, "kind": %q, "listKind": %q}`, plural, strings.ToLower(kind), kind,
		listKind)
	condition := func(name, reason string) string {
		return fmt.Sprintf(`{"type": %q, "status": "True", "reason": %q, "message": "", "lastTransitionTime": `+
			`"2026-01-01T00:00:00Z"}`,
			name, reason)
	}
	setup = "POST " + definitions + "\n\n" +
		fmt.Sprintf(`{"metadata": {"name": "%s.%s"}, "spec": {"group": %q, "scope": "Namespaced", "names": %s,`, plural,
			group, group, names) +
		"\n" + `  "versions": [{"name": "v1", ` +
		`"served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}` +
		"\n\n###\nPATCH " + at + "/status" + merge + `{"status": {"acceptedNames": ` + names + `, "conditions": [` +
		"\n  " + condition("NamesAccepted", "NoConflicts") + ",\n  " + condition("Established", "InitialNamesAccepted") +
		"]}}" +
		fmt.Sprintf("\n\n###\nPOST /apis/%s/v1/namespaces/%s/%s\n\n", group, namespace, plural) +
		fmt.Sprintf(`{"apiVersion": "%s/v1", "kind": %q, "metadata": {"name": "x"}}`, group, kind)
	restore = fmt.Sprintf("DELETE /apis/%s/v1/namespaces/%s/%s", group, namespace, plural) +
		"\n\n###\nDELETE " + at + "\n\n###\nPATCH " + at + merge + `{"metadata": {"finalizers": null}}`
	return setup, restore
}

// A builtinType is a resource type of Kubernetes, with what its smallest object needs.
type builtinType struct{ kind, plural, version, rest string }

// path returns the path of the type's collection in a namespace.
func (b builtinType) path(namespace string) string {
	root := "/apis/" + b.version
	if b.version == "v1" {
		root = "/api/v1"
	}
	return root + "/namespaces/" + namespace + "/" + b.plural
}

// create returns a request that makes an object x.
func (b builtinType) create(namespace string) string {
	return "POST " + b.path(namespace) + "\n\n" + `{"metadata": {"name": "x"}` + b.rest + "}"
}

// builtinTypes are types whose objects need little.
var builtinTypes = []builtinType{
	{"Secret", "secrets", "v1", ""}, {"ConfigMap", "configmaps", "v1", ""}, {"Endpoints", "endpoints", "v1", ""},
	{"Service", "services", "v1", `, "spec": {"ports": [{"port": 80}]}`},
	{"Lease", "leases", "coordination.k8s.io/v1", ""},
	{"NetworkPolicy", "networkpolicies", "networking.k8s.io/v1", `, "spec": {"podSelector": {}}`},
	{"LimitRange", "limitranges", "v1", ""}, {"ResourceQuota", "resourcequotas", "v1", ""},
	{"Role", "roles", "rbac.authorization.k8s.io/v1", ""}, {"ServiceAccount", "serviceaccounts", "v1", ""},
	{"PodDisruptionBudget", "poddisruptionbudgets", "policy/v1", ""},
	{"Pod", "pods", "v1", `, "spec": {"containers": [{"name": "a", "image": "b"}]}`},
}

// An acceptedType is a media type of an Accept header, and the shape that it leads to: "" if the server has none for
// built-in or for custom types.
type acceptedType struct{ name, mediaType, builtin, custom string }

// acceptedTypes returns media types that clients ask for, for a collection or for one object.
func acceptedTypes(collection bool) map[string]acceptedType {
	list := ""
	if collection {
		list = "List"
	}
	const meta, pb = ";g=meta.k8s.io", "application/vnd.kubernetes.protobuf"
	all := []acceptedType{
		{"table", "application/json;as=Table;v=v1" + meta, "table", "table"},
		{"tableBeta", "application/json;as=Table;v=v1beta1" + meta, "table", "table"},
		{"table2", "application/json;as=Table;v=v2" + meta, "", ""},
		{"meta", "application/json;as=PartialObjectMetadata" + list + ";v=v1" + meta, "meta", "meta"},
		{"pb", pb, "pb", ""},
		{"pbTable", pb + ";as=Table;v=v1" + meta, "", ""},
		{"pbMeta", pb + ";as=PartialObjectMetadata" + list + ";v=v1" + meta, "pb", "pb"},
		{"json", "application/json", "plain", "plain"},
		{"html", "text/html", "", ""},
	}
	out := map[string]acceptedType{}
	for _, w := range all {
		out[w.name] = w
	}
	return out
}

// shape returns the shape that the media type leads to.
func (w acceptedType) shape(custom bool) string {
	if custom {
		return w.custom
	}
	return w.builtin
}

// negotiated returns the shape of the first media type that the server has, or 406.
func negotiated(wanted []acceptedType, custom bool) string {
	for _, w := range wanted {
		if shape := w.shape(custom); shape != "" {
			return shape
		}
	}
	return "406"
}

// acceptHeader returns the Accept header.
func acceptHeader(wanted []acceptedType) string {
	var types []string
	for _, w := range wanted {
		types = append(types, w.mediaType)
	}
	return strings.Join(types, ", ")
}

// p14a draws an Accept header, and the type that it is sent for.
func p14a(r *rand.Rand) Values {
	collection, custom := pick(r, true, false), pick(r, true, false)
	known := acceptedTypes(collection)
	var wanted []acceptedType
	names := shuffled(r, "table", "tableBeta", "table2", "table2", "meta", "pb", "pb", "pbTable", "json", "json", "html")
	for _, name := range names[:between(r, 2, 3)] {
		if slices.Contains(wanted, known[name]) {
			return nil
		}
		wanted = append(wanted, known[name])
	}
	b := pick(r, builtinTypes...)
	kind, path := b.kind, b.path("p14a")
	if custom {
		kind, path = "Lamp", "/apis/p14a.example.com/v1/namespaces/p14a/lamps"
	}
	of, list := "the list of "+kind+"s", "List"
	if kind == "NetworkPolicy" {
		of = "the list of NetworkPolicies"
	}
	if kind == "Endpoints" {
		of = "the list of Endpoints"
	}
	if !collection {
		path, of, list = path+"/x", "one "+kind, ""
	}
	status, at := "answer.response.status = 200", "answer.response.body.kind = "
	outcomes := map[string]outcome{
		"406":   {"406", []string{"answer.response.status = 406"}},
		"table": {"A `Table`", []string{status, at + "Table"}},
		"meta":  {"A `PartialObjectMetadata" + list + "`", []string{status, at + "PartialObjectMetadata" + list}},
		"plain": {"A `" + kind + list + "` in JSON", []string{status, at + kind + list}},
		"pb":    {"Protobuf", []string{status, "answer.response.headers.Content-Type contains protobuf"}},
	}
	first, last := wanted[0], wanted[len(wanted)-1]
	alone := negotiated([]acceptedType{first}, custom)
	firstMeant := map[string]string{"table2": "table", "pbTable": "pb", "html": "plain"}[first.name]
	anyProtobuf, anyJSON := "", ""
	for _, w := range wanted {
		if w.name == "pb" {
			anyProtobuf = "pb"
		}
		if w.name == "json" {
			anyJSON = "plain"
		}
	}
	choices := writeOutcomeChoices(outcomes, negotiated(wanted, custom), 3,
		mistake{alone, "A common belief: only the first media type counts. " +
			"If the server cannot make it, it tries the next one."},
		mistake{firstMeant, "A common belief: what is not there is replaced by the nearest thing. It is passed over."},
		mistake{anyJSON, "A common belief: plain JSON is preferred wherever it is accepted. The order decides."},
		mistake{anyProtobuf, "A common belief: Protobuf is preferred, or there for each type. The order decides, and " +
			"custom types have none."},
		mistake{negotiated([]acceptedType{last}, custom), "A common belief: the last one wins. They are tried from the " +
			"first on."},
		mistake{"406", "A common belief: each media type has to be possible. One of them is enough."})
	if choices == "" {
		return nil
	}
	define, restore := definitionRequests("p14a", "p14a.example.com", "lamps", "Lamp", "LampList")
	sort := "a built-in type"
	if custom {
		sort = "a custom type whose definition names no columns"
	}
	lines := "- `" + strings.ReplaceAll(acceptHeader(wanted), ", ", ",`\n- `") + "`"
	return Values{"define": define, "create": b.create("p14a"), "restore": restore, "path": path,
		"accept": acceptHeader(wanted),
		"wishes": lines, "of": of, "sort": sort, "choices": choices}
}

// p14c draws what a client needs, and Accept headers of which one asks for it.
func p14c(r *rand.Rand) Values {
	collection := pick(r, true, false)
	known, other := acceptedTypes(collection), acceptedTypes(!collection)
	b := pick(r, builtinTypes...)
	needs := []struct {
		says            string
		right           []string
		wrong           map[string]string // headers, with what is said to who chooses them
		builtin, custom string
	}{
		{"reads nothing but labels and owners, in JSON, and wants nothing else to be sent", []string{"meta"},
			map[string]string{
				"json":       "That brings whole objects, which is more than is needed.",
				"table":      "A Table has the metadata, but also cells, which are not needed.",
				"other meta": "That is the shape for the other case: the shape of a list has another name than that of one object.",
				"pb":         "That brings whole objects, and custom types have no Protobuf at all.",
			}, "meta", "meta"},
		{"reads Protobuf wherever the server has it, else JSON, and must never be refused", []string{"pb", "json"},
			map[string]string{
				"pb": "Custom types have no Protobuf: they refuse this with 406.",
				"json,pb": "The first media type that the server can make is taken. " +
					"JSON always can be made, so Protobuf never comes.",
				"json": "That is never refused, and never Protobuf.",
			}, "pb", "plain"},
		{"shows Tables. It prefers those of v2, if there are any, to those of v1; without Tables it reads plain JSON",
			[]string{"table2", "table", "json"},
			map[string]string{
				"table2,json": "No server has v2 yet, so the next one counts: " +
					"the plain object, where a Table of v1 could have come.",
				"table2":            "No server has v2 yet, and nothing else is accepted: 406.",
				"table2,json,table": "The plain object can always be made, so what comes after it is never tried.",
			}, "table", "table"},
		{"reads nothing but labels and owners, and wants them in Protobuf", []string{"pbMeta"}, map[string]string{
			"pb":      "That brings whole objects, and custom types are refused with 406.",
			"meta":    "That is the metadata alone, but in JSON.",
			"pbTable": "There are no Tables in Protobuf, and they would be more than is needed.",
		}, "pb", "pb"},
	}
	need := pick(r, needs...)
	read := func(names string) []acceptedType {
		var out []acceptedType
		for name := range strings.SplitSeq(names, ",") {
			if rest, ok := strings.CutPrefix(name, "other "); ok {
				out = append(out, other[rest])
			} else {
				out = append(out, known[name])
			}
		}
		return out
	}
	headers := []string{strings.Join(need.right, ",")}
	var wrong []string
	for names := range need.wrong {
		wrong = append(wrong, names)
	}
	slices.Sort(wrong)
	headers = shuffled(r, append(headers, shuffled(r, wrong...)[:min(3, between(r, 2, 3))]...)...)
	name, paths := "", []string{b.path("p14c"), "/apis/p14c.example.com/v1/namespaces/p14c/lamps"}
	if !collection {
		name = "/x"
	}
	shape := map[string]string{
		"meta": "response.body.kind contains PartialObjectMetadata", "table": "response.body.kind = Table",
		"plain": "response.body.metadata is present", "pb": "response.headers.Content-Type contains protobuf",
	}
	var requests, choices []string
	for i, names := range headers {
		header := acceptHeader(read(names))
		choice := "- `" + header + "`"
		for j, want := range []string{need.builtin, need.custom} {
			row := "h" + strconv.Itoa(i+1) + []string{"a", "b"}[j]
			requests = append(requests, fmt.Sprintf("# @name %s\nGET %s%s\nAccept: %s", row, paths[j], name, header))
			choice += "\n  " + row + ".response.status = 200\n  " + row + "." + shape[want]
		}
		if reply := need.wrong[names]; reply != "" {
			choice += "\n  reply " + strconv.Quote(reply)
		}
		choices = append(choices, choice)
	}
	define, restore := definitionRequests("p14c", "p14c.example.com", "lamps", "Lamp", "LampList")
	return Values{"define": define, "create": b.create("p14c"), "restore": restore, "need": need.says, "kind": b.kind,
		"what":     map[bool]string{true: "lists", false: "single objects"}[collection],
		"requests": joinRequests(requests...), "choices": strings.Join(choices, "\n")}
}
