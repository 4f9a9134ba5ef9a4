package auth

import (
	_ "embed"
	"strings"
)

//go:embed defaults.txt
var defaultsText string

// aggregateTo is the prefix of the labels by which an aggregated role selects the roles whose rules
// it takes.
const aggregateTo = Group + "/aggregate-to-"

// Defaults returns the default roles and bindings of a server with RBAC, roles before bindings.
func Defaults() []map[string]any {
	var objects []map[string]any
	for line := range strings.Lines(defaultsText) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line[0] == '#':
		case line[0] == '\t':
			last := objects[len(objects)-1]
			rules, _ := last["rules"].([]any)
			last["rules"] = append(rules, parseRule(strings.Fields(line)))
		default:
			objects = append(objects, parseDefault(strings.Fields(line)))
		}
	}
	return objects
}

// parseDefault parses the first line of an object.
func parseDefault(words []string) map[string]any {
	labels := map[string]any{"kubernetes.io/bootstrapping": "rbac-defaults"}
	meta := map[string]any{
		"name": words[1], "labels": labels,
		"annotations": map[string]any{"rbac.authorization.kubernetes.io/autoupdate": "true"},
	}
	obj := map[string]any{"apiVersion": Group + "/v1", "kind": words[0], "metadata": meta}
	if namespace, name, ok := strings.Cut(words[1], "/"); ok {
		meta["namespace"], meta["name"] = namespace, name
	}
	rest := words[2:]
	if strings.HasSuffix(words[0], "Binding") {
		kind, name, _ := strings.Cut(rest[0], ":")
		obj["roleRef"] = map[string]any{"apiGroup": Group, "kind": kind, "name": name}
		var subjects []any
		for _, word := range rest[1:] {
			subjects = append(subjects, parseSubject(word))
		}
		if subjects != nil {
			obj["subjects"] = subjects
		}
		return obj
	}
	for _, word := range rest {
		if role, ok := strings.CutPrefix(word, "to="); ok {
			labels[aggregateTo+role] = "true"
		}
		if role, ok := strings.CutPrefix(word, "from="); ok {
			selector := map[string]any{"matchLabels": map[string]any{aggregateTo + role: "true"}}
			obj["aggregationRule"] = map[string]any{"clusterRoleSelectors": []any{selector}}
		}
	}
	return obj
}

func parseSubject(word string) map[string]any {
	kind, name, _ := strings.Cut(word, ":")
	if kind == "ServiceAccount" {
		namespace, name, _ := strings.Cut(name, "/")
		return map[string]any{"kind": kind, "namespace": namespace, "name": name}
	}
	return map[string]any{"apiGroup": Group, "kind": kind, "name": name}
}

func parseRule(words []string) map[string]any {
	rule := map[string]any{"verbs": listOf(words[0])}
	if urls, ok := strings.CutPrefix(words[1], "urls="); ok {
		rule["nonResourceURLs"] = listOf(urls)
		return rule
	}
	rule["apiGroups"], rule["resources"] = listOf(words[1]), listOf(words[2])
	if len(words) > 3 {
		rule["resourceNames"] = listOf(strings.TrimPrefix(words[3], "names="))
	}
	return rule
}

// listOf splits a list at commas; "" in it is the empty string.
func listOf(text string) []any {
	var list []any
	for word := range strings.SplitSeq(text, ",") {
		if word == `""` {
			word = ""
		}
		list = append(list, word)
	}
	return list
}
