package storage

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// downwardFileRules are the rules for a file of the downward API.
var downwardFileRules = rule.Fields{
	{Key: "path", Is: filePath},
	{Is: rule.Object(validateDownwardRef)},
	{Key: "mode", Is: fileMode},
}

// filePath is the rule for the path of a file in a volume.
var filePath = rule.All{rule.Required{}, rule.Form(keyPath)}

func validateDownwardRef(f map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	ref, resource := tree.Object(f, "fieldRef"), tree.Object(f, "resourceFieldRef")
	switch {
	case ref != nil:
		errs.Add(valid.FieldRef(ref, at.Child("fieldRef"),
			"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")...)
		if resource != nil {
			errs.Add(field.Invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"))
		}
	case resource != nil:
		errs.Add(valid.ResourceRef(resource, at.Child("resourceFieldRef"), true)...)
	default:
		errs.Add(field.Required(at, "one of fieldRef and resourceFieldRef is required"))
	}
	return errs
}

func validateProjected(s map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	paths := map[string]bool{}
	add := func(path string, bad any) {
		if path != "" && paths[path] {
			errs.Add(field.Invalid(at, bad, "conflicting duplicate paths"))
		}
		paths[path] = true
	}
	for i, source := range tree.Objects(s, "sources") {
		in := at.Child("sources").Index(i)
		n := 0
		for _, kind := range []string{"secret", "configMap"} {
			if from := tree.Object(source, kind); from != nil {
				n++
				errs.Add(rule.RequireTexts(from, in.Child(kind), "name")...)
				for j, item := range tree.Objects(from, "items") {
					errs.Add(itemRules.Check(item, in.Child(kind, "items").Index(j))...)
					add(tree.Text(item, "path"), tree.Text(from, "name"))
				}
			}
		}
		if from := tree.Object(source, "downwardAPI"); from != nil {
			n++
			for _, f := range tree.Objects(from, "items") {
				errs.Add(downwardFileRules.Check(f, in.Child("downwardAPI"))...)
				add(tree.Text(f, "path"), tree.Text(f, "path"))
			}
		}
		if token := tree.Object(source, "serviceAccountToken"); token != nil {
			n++
			seconds := in.Child("serviceAccountToken", "expirationSeconds")
			errs.Add(rule.Check(token["expirationSeconds"], seconds, tokenSeconds)...)
			errs.Add(rule.Check(token["path"], at.Child("path"), filePath)...)
		}
		if n > 1 {
			errs.Add(field.Forbidden(in, "may not specify more than 1 volume type per source"))
		}
	}
	return errs
}

// tokenSeconds is the rule for the lifetime of a service account token.
var tokenSeconds = rule.All{
	rule.AtLeast{Min: 600, Detail: "may not specify a duration less than 10 minutes"},
	rule.AtMost{Max: 1 << 32, Detail: "may not specify a duration larger than 2^32 seconds"},
}
