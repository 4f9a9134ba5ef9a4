//go:build !js

package practice

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// verbs are the generators of lesson 2.
var verbs = map[string]Generator{"p02c": p02c}

// A verbCase is a request and verbs that learners take it for, the right one first, each with the reply to a wrong
// choice. %s stands for a collection's path.
type verbCase struct {
	request, note string
	verbs         [][2]string
	// header and body are lines to be sent along.
	header, body string
}

// Replies to choices that are wrong for the same reason.
const (
	methodReply = "That is a method of HTTP, or named after one. Verbs are finer: the path decides, too."
	countReply  = "How many objects a selector finds does not matter: the path is that of a collection."
	effectReply = "The result of the request does not matter. " +
		"Permissions are checked before that, by method and path."
	nameReply = "A name in the path makes it a request about one object, whatever the query says."
)

// verbCases are requests whose verbs are mixed up.
var verbCases = []verbCase{
	{request: "GET %s", verbs: [][2]string{
		{"list", ""}, {"get", "A get is about one object, whose name is in the path."},
		{"watch", "For that, `watch=1` has to be in the query."},
		{"read", "There is no such verb: the API has get, list and watch for reading."}}},
	{request: "GET %s?fieldSelector=metadata.name=a", note: "It selects the one object `a`.", verbs: [][2]string{
		{"list", ""}, {"get", countReply}, {"watch", "For that, `watch=1` has to be in the query."},
		{"select", "There is no such verb. A selector makes a list shorter, but it is still a list."}}},
	{request: "GET %s?limit=1", note: "It asks for one object at most.", verbs: [][2]string{
		{"list", ""}, {"get", countReply}, {"watch", "For that, `watch=1` has to be in the query."},
		{"page", "There is no such verb. One page of a list is a list, too."}}},
	{request: "GET %s?watch=1", note: "It asks for a stream.", verbs: [][2]string{
		{"watch", ""}, {"list", "A watch has its own verb, although it may begin with all existing objects."},
		{"get", methodReply}, {"stream", "There is no such verb."}}},
	{request: "GET %s?watch=1&fieldSelector=metadata.name=a", note: "It asks for a stream about `a` alone.",
		verbs: [][2]string{
			{"watch", ""}, {"get", countReply}, {"list", "With `watch=1` a GET of a collection is a watch."},
			{"stream", "There is no such verb."}}},
	{request: "GET %s/a", verbs: [][2]string{
		{"get", ""},
		{"list", "A list is of a collection, and this path ends in a name."},
		{"watch", "For that, `watch=1` has to be in the query."},
		{"read", "There is no such verb: the API has get, list and watch for reading."}}},
	{request: "GET %s/a?watch=1", verbs: [][2]string{
		{"get", ""}, {"watch", nameReply}, {"list", "A list is of a collection, and this path ends in a name."},
		{"stream", "There is no such verb."}}},
	{request: "POST %s", note: "The body has an object `b` that is not there yet.", body: "b", verbs: [][2]string{
		{"create", ""}, {"post", methodReply}, {"update", "An update is of an object that exists already."},
		{"patch", "A patch is sent with PATCH, to the path of an object."}}},
	{request: "POST %s?dryRun=All", note: "It is a dry run: nothing will be stored.", body: "b", verbs: [][2]string{
		{"create", ""}, {"dryrun", "There is no such verb: a dry run needs the permission that the real request needs."},
		{"get", "That nothing is stored does not make it a reading request. " + effectReply}, {"post", methodReply}}},
	{request: "PUT %s/a", body: "a", verbs: [][2]string{
		{"update", ""}, {"put", methodReply}, {"patch", "A patch is sent with PATCH."},
		{"create", "A create is a POST to the collection."}}},
	{request: "PUT %s/b", note: "There is no object `b`.", body: "b", verbs: [][2]string{
		{"update", ""}, {"create", effectReply}, {"put", methodReply}, {"patch", "A patch is sent with PATCH."}}},
	{request: "PATCH %s/a", note: "There is an object `a`.",
		header: "Content-Type: application/merge-patch+json", body: "a", verbs: [][2]string{
			{"patch", ""},
			{"update", "An update is a PUT. The permission to patch does not include it."},
			{"merge", "There is no such verb: all kinds of patches are one."},
			{"create", "A create is a POST to the collection."}}},
	{request: "PATCH %s/b?fieldManager=m", note: "The `Content-Type` makes it an apply. There is no object `b`.",
		header: "Content-Type: application/apply-patch+yaml", body: "b",
		verbs: [][2]string{
			{"patch", ""},
			{"apply", "Apply is one of the kinds of patches, and all of them are one verb."},
			{"create", effectReply},
			{"update", "An update is a PUT."}}},
	{request: "DELETE %s/a", verbs: [][2]string{
		{"delete", ""},
		{"deletecollection", "That is a DELETE of a collection. This path ends in a name."},
		{"remove", "There is no such verb."},
		{"update", "An update is a PUT. It does not matter that a deletion may first write a mark."}}},
	{request: "DELETE %s", verbs: [][2]string{
		{"deletecollection", ""},
		{"delete", "A delete is of one object, whose name is in the path."},
		{"list", "The request has to find the objects, too, but one verb is enough for it."},
		{"purge", "There is no such verb."}}},
	{request: "DELETE %s?fieldSelector=metadata.name=a", note: "It selects the one object `a`.", verbs: [][2]string{
		{"deletecollection", ""}, {"delete", countReply},
		{"list", "The request has to find the objects, too, but one verb is enough for it."},
		{"select", "There is no such verb. A selector says which objects, not what happens to them."}}},
	{request: "DELETE /api/v1/namespaces/p02a", note: "The namespace has objects in it.", verbs: [][2]string{
		{"delete", ""}, {"deletecollection",
			"One Namespace is deleted. What is in it is deleted later, by a controller."},
		{"update", "An update is a PUT. It does not matter that a deletion may first write a mark."},
		{"purge", "There is no such verb."}}},
}

// p02a draws a request and verbs that learners take it for.
func p02a(r *rand.Rand) Values {
	t, c := pick(r, namedTypes...), pick(r, verbCases...)
	request := replace(c.request, t.in("p02a"))
	v := Values{"kind": t.kind, "setup": t.in("p02a"), "request": request, "about": c.note}
	var choices []string
	for _, verb := range shuffled(r, c.verbs...) {
		choices = append(choices, choiceLines(verb[0],
			[]string{`asked.response.body.message contains "cannot ` + verb[0] + ` "`}, verb[1]))
	}
	v["choices"] = strings.Join(choices, "\n")
	v["send"] = request + "\nImpersonate-User: eve"
	if c.header != "" {
		v["send"] += "\n" + c.header
	}
	if c.body != "" {
		v["send"] += "\n\n" + t.object(c.body)
	}
	return v
}

// object returns an object of the type that has nothing but a name, as JSON.
func (t apiType) object(name string) string {
	return `{"apiVersion": "` + t.groupVersion() + `", "kind": "` + t.kind + `", "metadata": {"name": "` + name + `"}}`
}

// A patchField is a list in an object, and how its type says it is merged.
type patchField struct {
	kind, path, prefix, suffix, pointer, read, says string
	item                                            func(name string) string
	merged                                          bool
	// strings says that the items are strings; otherwise they are objects with a name.
	strings bool
}

// patchFields are lists that a strategic merge patch merges, or does not.
var patchFields = []patchField{
	{kind: "Deployment", prefix: `{"spec": {"template": {"spec": {"containers": [`, suffix: `]}}}}`,
		pointer: "/spec/template/spec/containers",
		read:    "spec.template.spec.containers[*].name", says: "merged by its items' `name`", merged: true,
		item: func(name string) string { return `{"name": "` + name + `", "image": "i"}` }},
	{kind: "Deployment", prefix: `{"spec": {"template": {"spec": {"imagePullSecrets": [`, suffix: `]}}}}`,
		pointer: "/spec/template/spec/imagePullSecrets", read: "spec.template.spec.imagePullSecrets[*].name",
		says: "merged by its items' `name`", merged: true,
		item: func(name string) string { return `{"name": "` + name + `"}` }},
	{kind: "Deployment", prefix: `{"spec": {"template": {"spec": {"tolerations": [`, suffix: `]}}}}`,
		pointer: "/spec/template/spec/tolerations", read: "spec.template.spec.tolerations[*].key", says: "a value as a whole",
		item: func(name string) string { return `{"key": "` + name + `", "operator": "Exists"}` }},
	{kind: "Secret", prefix: `{"metadata": {"finalizers": [`, suffix: `]}}`, pointer: "/metadata/finalizers",
		read: "metadata.finalizers[*]", says: "a set of strings that are merged", merged: true, strings: true,
		item: func(name string) string { return `"` + name + `"` }},
}

// items returns the list's items in JSON.
func (f patchField) items(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, f.item(n))
	}
	return strings.Join(out, ", ")
}

// p02c draws a list in an object, a patch of it, and results that learners expect.
func p02c(r *rand.Rand) Values {
	f := pick(r, patchFields...)
	letters := []string{"a", "b", "c", "d"}
	if f.strings {
		letters = []string{"p02c.io/a", "p02c.io/b", "p02c.io/c", "p02c.io/d"}
	}
	letters = shuffled(r, letters...)
	old := slices.Clone(letters[:between(r, 2, 3)])
	news := []string{letters[3]}
	how := pick(r, "strategic", "strategic", "strategic", "merge", "merge", "append", "first", "replace", "whole", "test",
		"plain")
	if (how == "strategic" || how == "merge" || how == "whole") && between(r, 0, 1) == 1 {
		news = append(news, old[len(old)-1])
	}
	union := slices.Clone(old)
	for _, n := range news {
		if !slices.Contains(union, n) {
			union = append(union, n)
		}
	}
	overlay := append(slices.Clone(news), old[min(len(news), len(old)):]...)
	format, body, what := "json-patch", "", ""
	one := f.item(news[0])
	operations := func(path, operation string) string {
		return `[{"op": "` + operation + `", "path": "` + f.pointer + path + `", "value": ` + one + `}]`
	}
	switch how {
	case "strategic", "merge":
		format = map[string]string{"strategic": "strategic-merge-patch", "merge": "merge-patch"}[how]
		body = f.prefix + f.items(news) + f.suffix
		what = map[string]string{"strategic": "a strategic merge patch", "merge": "a merge patch"}[how]
	case "plain":
		format, body, what = "", f.prefix+f.items(news)+f.suffix, "a PATCH with `Content-Type: application/json`"
	case "append":
		body, what = operations("/-", "add"), "a JSON patch"
	case "first":
		body, what = operations("/0", "add"), "a JSON patch"
	case "replace":
		body, what = operations("/0", "replace"), "a JSON patch"
	case "whole":
		body = `[{"op": "replace", "path": "` + f.pointer + `", "value": [` + f.items(news) + `]}]`
		what = "a JSON patch"
	case "test":
		body = `[{"op": "add", "path": "` + f.pointer + `/-", "value": ` + one + `},` + "\n" +
			` {"op": "test", "path": "/metadata/name", "value": "other"}]`
		what = "a JSON patch of two operations, the second of which tests whether the name is `other`"
	}
	media := "application/json"
	if format != "" {
		media = "application/" + format + "+json"
	}
	path := "/apis/apps/v1/namespaces/p02c/deployments"
	setup := `{"metadata": {"name": "p"}, "spec": {"selector": {"matchLabels": {"app": "p"}},` + "\n" +
		`"template": {"metadata": {"labels": {"app": "p"}},` + "\n" +
		`"spec": {"containers": [{"name": "%s", "image": "i"}]}}}}`
	first := "a"
	if strings.HasSuffix(f.pointer, "containers") {
		first = old[0]
	}
	setup = replace(setup, first)
	if f.kind == "Secret" {
		path, setup = "/api/v1/namespaces/p02c/secrets", `{"metadata": {"name": "p"}}`
	}
	v := Values{"kind": f.kind, "path": path, "setup": setup, "old": f.prefix + f.items(old) + f.suffix, "says": f.says,
		"media": media,
		"body":  body, "what": what, "names": sortedNames(old), "field": f.pointer}
	replies := patchReplies(how, f.merged)
	beliefs := []struct {
		names []string
		reply string
	}{{news, replies[0]}, {union, replies[1]}, {overlay, replies[2]}, {old, replies[3]}}
	var choices, texts []string
	for _, b := range beliefs {
		text := sortedNames(b.names)
		if slices.Contains(texts, text) {
			continue
		}
		texts = append(texts, text)
		conditions := []string{"after.response.body." + strings.TrimSuffix(strings.TrimSuffix(f.read, ".name"), ".key")}
		conditions[0] = strings.TrimSuffix(conditions[0], "[*]") + ".length = " + strconv.Itoa(len(b.names))
		for _, n := range b.names {
			conditions = append(conditions, "after.response.body."+f.read+" contains "+n)
		}
		if len(b.names) == len(old) && text == sortedNames(old) {
			text += ", as before"
		}
		choices = append(choices, choiceLines(text, conditions, b.reply))
	}
	if len(choices) < 3 {
		return nil
	}
	v["choices"] = strings.Join(shuffled(r, choices...), "\n")
	return v
}

// patchReplies returns the replies to four wrong results: the patch's items alone, these and the old items, these in
// the places of old ones, and the old items.
func patchReplies(how string, merged bool) [4]string {
	unchanged := "Then nothing would have changed. The patch was accepted: read what it says."
	places := "Such a patch does not go by position: it does not replace an item because of its index."
	switch {
	case how == "strategic" && merged:
		return [4]string{"That would replace the list. A strategic merge patch knows that this one is merged.", "", places,
			unchanged}
	case how == "strategic":
		return [4]string{"", "A strategic merge patch merges only the lists that the type marks for it. This one is " +
			"not marked.",
			places, unchanged}
	case how == "merge":
		return [4]string{"", "A merge patch knows JSON, not types. It merges objects, but no lists.", places,
			unchanged}
	case how == "append" || how == "first":
		return [4]string{"That would replace the list. The operation's path is that of an index in it.", "",
			"That would be the operation replace. With add, the items after it move.", unchanged}
	case how == "replace":
		return [4]string{"That would replace the list. The operation's path is that of an index in it.",
			"That would be the operation add. With replace, the item at that index is gone.", "", unchanged}
	case how == "whole":
		return [4]string{"", "That would be a merge. The operation's path is that of the whole list, " +
			"and replace removes all of it.",
			"The operation's path is that of the whole list, not of an index in it.", unchanged}
	}
	undone := "For that the patch would have to be applied. Look at its status."
	return [4]string{undone, undone, undone, ""}
}

// sortedNames returns names in Markdown, sorted.
func sortedNames(names []string) string {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return "`" + strings.Join(sorted, "`, `") + "`"
}
