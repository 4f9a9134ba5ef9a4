package custom

// broken returns a schema that is sometimes invalid in some places.
func (g gen) broken(s tree) tree {
	if g.oneIn(3) {
		g.breakAt(s)
	}
	for _, key := range []string{"items", "additionalProperties", "not"} {
		if one, ok := s[key].(tree); ok {
			g.broken(one)
		}
	}
	for _, key := range []string{"anyOf", "allOf", "oneOf"} {
		list, _ := s[key].([]any)
		for _, one := range list {
			g.broken(one.(tree))
		}
	}
	properties, _ := s["properties"].(tree)
	for _, p := range properties {
		g.broken(p.(tree))
	}
	return s
}

func (g gen) breakAt(s tree) {
	for range 1 + g.IntN(2) {
		key := pick(g, "type", "items", "default", "x-kubernetes-list-type", "x-kubernetes-list-map-keys",
			"x-kubernetes-map-type", "uniqueItems",
			"additionalProperties", "description", "title", "nullable", "$ref", "id", "$schema", "definitions",
			"patternProperties", "dependencies",
			"additionalItems", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string",
			"x-kubernetes-embedded-resource", "metadata",
			"pattern", "format", "anyOf", "allOf", "required", "enum", "drop")
		switch key {
		case "drop":
			delete(s, "type")
		case "type":
			s[key] = pick(g, "object", "array", "string", "null", "nope", "integer")
		case "items":
			s[key] = pick[any](g, tree{}, tree{"type": "string"}, []any{tree{"type": "string"}},
				tree{"type": "object", "nullable": true})
		case "default":
			s[key] = pick[any](g, "x", int64(1), tree{"q": int64(1)}, []any{int64(1)}, tree{"kind": int64(1)},
				tree{"metadata": tree{"name": int64(1)}},
				tree{"apiVersion": "v1", "kind": "K", "metadata": tree{"labels": tree{"a b": "c"}}})
		case "x-kubernetes-list-type":
			s[key] = pick(g, "map", "set", "atomic", "nope")
		case "x-kubernetes-list-map-keys":
			s[key] = pick(g, []any{"a"}, []any{"a", "a"}, []any{"a", "b"}, []any{"z"})
		case "x-kubernetes-map-type":
			s[key] = pick(g, "atomic", "granular", "nope")
		case "uniqueItems", "nullable", "x-kubernetes-int-or-string", "x-kubernetes-embedded-resource":
			s[key] = true
		case "x-kubernetes-preserve-unknown-fields":
			s[key] = g.oneIn(2)
		case "additionalProperties":
			s[key] = pick[any](g, true, false, tree{"type": "string"}, tree{"type": "string", "default": "x"})
		case "description", "title", "id", "$ref", "$schema":
			s[key] = "text"
		case "definitions", "patternProperties":
			s[key] = tree{"a": tree{"type": "string"}}
		case "dependencies":
			s[key] = tree{"a": []any{"b"}}
		case "additionalItems":
			s[key] = true
		case "metadata":
			properties, _ := s["properties"].(tree)
			if properties == nil {
				properties = tree{}
				s["properties"] = properties
			}
			properties[pick(g, "metadata", "metadata", "kind", "apiVersion")] = pick(g,
				tree{"type": "object", "properties": tree{"name": tree{"type": "string", "pattern": "a"}}},
				tree{"type": "object", "properties": tree{"labels": tree{"type": "object"}}},
				tree{"type": "object", "properties": tree{"name": tree{"type": "string", "default": "A_"}}},
				tree{"type": "object", "default": tree{"name": "x"}}, tree{"type": "string"},
				tree{"type": "string", "default": "9"},
				tree{"type": "object", "additionalProperties": tree{"type": "string", "default": "x"}})
		case "pattern":
			s[key] = "["
		case "format":
			s[key] = "nonsense"
		case "anyOf", "allOf":
			s[key] = pick(g, []any{tree{"type": "integer"}, tree{"type": "string"}},
				[]any{tree{"anyOf": []any{tree{"type": "integer"}, tree{"type": "string"}}}},
				[]any{tree{"properties": tree{"z": tree{"minLength": int64(1)}}}},
				[]any{tree{"items": tree{"minLength": int64(1)}}})
		case "required":
			s[key] = []any{"a"}
		case "enum":
			s[key] = []any{"a", int64(1), nil}
		}
	}
}

// definition returns a CustomResourceDefinition that may be invalid.
func (g gen) definition() tree {
	version := func(name string) tree {
		v := tree{"name": name, "served": true, "storage": name == "v1",
			"schema": tree{"openAPIV3Schema": g.broken(g.root())}}
		if g.oneIn(12) {
			delete(v, "schema")
		}
		if g.oneIn(10) {
			v["storage"] = g.oneIn(2)
		}
		if g.oneIn(8) {
			v["deprecationWarning"], v["deprecated"] = pick(g, "old", "", "a\x01b"), g.oneIn(2)
		}
		if g.oneIn(3) {
			v["subresources"] = pick(g, tree{"status": tree{}},
				tree{"scale": tree{"specReplicasPath": pick(g, ".spec.a", "x", "", ".status.a"),
					"statusReplicasPath": pick(g, ".status.a", ".a", ""), "labelSelectorPath": pick(g, ".status.b", ".x", "b", "")}},
				tree{"status": tree{}})
		}
		if g.oneIn(4) {
			v["additionalPrinterColumns"] = []any{tree{"name": pick(g, "A", ""), "type": pick(g, "string", "integer", "x", ""),
				"jsonPath": pick(g, ".spec.a", "a", ""), "format": pick(g, "", "int32", "x")}}
		}
		if g.oneIn(4) {
			v["selectableFields"] = []any{tree{"jsonPath": pick(g, ".spec.a", ".a", "a", "", ".metadata.name", ".a.b", ".a['b']",
				".")}, tree{"jsonPath": ".a"}}
		}
		return v
	}
	versions := []any{version("v1")}
	if g.oneIn(2) {
		versions = append(versions, version(pick(g, "v2", "v1", "V_2")))
		if g.oneIn(2) {
			for _, key := range []string{"schema", "subresources", "additionalPrinterColumns", "selectableFields"} {
				if v, ok := versions[0].(tree)[key]; ok && g.oneIn(2) {
					versions[1].(tree)[key] = v
				}
			}
		}
	}
	spec := tree{
		"group": "stable.example.com", "scope": "Namespaced", "versions": versions,
		"names": tree{"plural": "crontabs", "singular": "crontab", "kind": "CronTab", "listKind": "CronTabList",
			"shortNames": []any{"ct"}},
	}
	meta := tree{"name": "crontabs.stable.example.com", "uid": "u", "creationTimestamp": "2020-01-02T03:04:05Z"}
	names := spec["names"].(tree)
	for range g.IntN(3) {
		switch g.IntN(12) {
		case 0:
			names["plural"] = pick(g, "", "X", "others")
		case 1:
			names["kind"] = pick(g, "", "9", "CronTabList")
		case 2:
			names[pick(g, "shortNames", "categories")] = []any{"a", "B", ""}
		case 3:
			names["singular"], names["listKind"] = "A_", "x y"
		case 4:
			spec["group"] = pick(g, "", "nodots", "Stable.Example", "a.k8s.io", "kubernetes.io")
		case 5:
			spec["scope"] = pick(g, "", "Galaxy", "Cluster")
		case 6:
			meta["annotations"] = tree{"api-approved.kubernetes.io": pick(g, "x", "unapproved", "https://a/b", "")}
			spec["group"] = "a.k8s.io"
		case 7:
			spec["preserveUnknownFields"] = g.oneIn(2)
		case 8:
			spec["conversion"] = pick(g, tree{"strategy": "Webhook"}, tree{"strategy": "Nope"}, tree{"strategy": ""},
				tree{"strategy": "None", "webhook": tree{"clientConfig": tree{"url": "https://x"},
					"conversionReviewVersions": []any{"v1"}}},
				tree{"strategy": "Webhook", "webhook": tree{"clientConfig": tree{"url": "http://x?y"},
					"conversionReviewVersions": []any{"v1", "v1", "X"}}},
				tree{"strategy": "Webhook", "webhook": tree{"clientConfig": tree{}, "conversionReviewVersions": []any{"v7"}}},
				tree{"strategy": "Webhook", "webhook": tree{"clientConfig": tree{"service": tree{"name": "", "namespace": "b",
					"port": int64(0)}}}})
		case 9:
			meta["name"] = "other"
		case 10:
			spec["versions"] = []any{}
		case 11:
			meta["labels"] = tree{"a b": "c"}
		}
	}
	return tree{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": meta,
		"spec": spec}
}
