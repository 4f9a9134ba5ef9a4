package pod

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// env returns the violations of the environment variables of a container. Those about files in
// volumes come after all others of the pod.
func (c *specCheck) env(env []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, v := range env {
		at := at.Index(i)
		errs.Add(envRules.Check(v, at)...)
		from := tree.Object(v, "valueFrom")
		if from == nil {
			continue
		}
		at = at.Child("valueFrom")
		sources := 0
		for _, s := range []string{"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"} {
			ref := tree.Object(from, s)
			if ref == nil {
				continue
			}
			sources++
			switch at := at.Child(s); s {
			case "fieldRef":
				errs.Add(valid.FieldRef(ref, at, "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
					"spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs")...)
			case "resourceFieldRef":
				errs.Add(valid.ResourceRef(ref, at, false)...)
			case "fileKeyRef":
				errs.Add(fileKeyRefRules.Check(ref, at)...)
				volume := tree.Text(ref, "volumeName")
				switch v := c.namedVolume(volume); {
				case v == nil:
					c.late.Add(field.NotFound(at.Child("volumeName"), volume))
				case v["emptyDir"] == nil:
					c.late.Add(field.Invalid(at.Child("volumeName"), volume, "referenced volume must be of type emptyDir"))
				}
			default:
				errs.Add(keyRefRules.Check(ref, at)...)
			}
		}
		switch {
		case sources == 0:
			errs.Add(field.Invalid(at, "", "must specify one of: "+
				"`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"))
		case tree.Text(v, "value") != "":
			errs.Add(field.Invalid(at, "", "may not be specified when `value` is not empty"))
		case sources > 1:
			errs.Add(field.Invalid(at, "", "may not have more than one field specified at a time"))
		}
	}
	return errs
}

var envRules = rule.Fields{
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.EnvVarName)}},
}

func validateEnvFrom(sources []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, source := range sources {
		errs.Add(envFromRules.Check(source, at.Index(i))...)
		switch first, second := source["configMapRef"] != nil, source["secretRef"] != nil; {
		case !first && !second:
			errs.Add(field.Invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"))
		case first && second:
			errs.Add(field.Invalid(at, "", "may not have more than one field specified at a time"))
		}
	}
	return errs
}

var envFromRules = rule.Fields{
	{Key: "prefix", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.EnvVarName)}},
	{Key: "configMapRef", Is: rule.All{rule.IfSet{}, envRefRules}},
	{Key: "secretRef", Is: rule.All{rule.IfSet{}, envRefRules}},
}

var fileKeyRefRules = rule.Fields{
	{Key: "key", Is: rule.All{rule.Required{}, rule.Form(syntax.EnvVarName)}},
	{Key: "volumeName", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
	{Key: "path", Is: rule.All{rule.Required{}, rule.Form(valid.NoBacksteps)}},
}

var keyRefRules = rule.Fields{
	{Key: "name", Is: rule.Form(syntax.Subdomain)},
	{Key: "key", Is: rule.All{rule.Required{}, rule.Form(syntax.ConfigMapKey)}},
}

var envRefRules = rule.Fields{
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.Subdomain)}},
}

// namedVolume returns the first volume of that name, valid or not, or nil.
func (c *specCheck) namedVolume(name string) map[string]any {
	if c.named == nil {
		c.named = map[string]map[string]any{}
		for _, v := range slices.Backward(tree.Objects(c.spec, "volumes")) {
			c.named[tree.Text(v, "name")] = v
		}
	}
	return c.named[name]
}
