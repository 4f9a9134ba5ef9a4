package extension

import (
	"fmt"
	"strconv"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// APIService is the strategy of APIServices.
var APIService = strategy.Strategy{
	// The groups that the API server serves itself are always available.
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		if tree.At(obj, "spec.service") == nil {
			obj["status"] = map[string]any{"conditions": []any{map[string]any{
				"type": "Available", "status": "True", "reason": "Local",
				"message": "Local APIServices are always available", "lastTransitionTime": c.Timestamp(),
			}}}
		}
	},
	Default: func(obj map[string]any) {
		if service := tree.At(obj, "spec.service"); service != nil && service["port"] == nil {
			service["port"] = int64(443)
		}
	},
	Name: func(obj map[string]any, name string, wrong []string) []string {
		spec := tree.Object(obj, "spec")
		if want := tree.Text(spec, "version") + "." + tree.Text(spec, "group"); len(wrong) == 0 && name != want {
			return []string{"must be `spec.version+\".\"+spec.group`: " + strconv.Quote(want)}
		}
		return wrong
	},
	Validate: validateAPIService,
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		return rule.Check(tree.Object(obj, "status")["conditions"], "status.conditions", rule.Each{Is: rule.Fields{
			{Key: "status", Is: rule.OneOf{"True", "False", "Unknown"}},
		}})
	},
}

func validateAPIService(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	spec, p := tree.Object(obj, "spec"), field.Path("spec")
	group, version := tree.Text(spec, "group"), tree.Text(spec, "version")
	if group != "" {
		errs.Add(apiServiceGroup.Check(spec, p)...)
	} else if version != "v1" {
		errs.Add(field.Required(p.Child("group"), "only v1 may have an empty group and it better be legacy kube"))
	}
	errs.Add(rule.Invalid(p.Child("version"), version, syntax.Label1035(version))...)
	if n, _ := tree.Int(spec, "groupPriorityMinimum"); n <= 0 || n > 20000 {
		errs.Add(field.Invalid(p.Child("groupPriorityMinimum"), n, "must be positive and less than 20000"))
	}
	if n, _ := tree.Int(spec, "versionPriority"); n <= 0 || n > 1000 {
		errs.Add(field.Invalid(p.Child("versionPriority"), n, "must be positive and less than 1000"))
	}
	if spec["service"] != nil {
		service, at := tree.Object(spec, "service"), p.Child("service")
		errs.Add(rule.RequireTexts(service, at, "namespace", "name")...)
		n, some := tree.Int(service, "port")
		if some && len(syntax.PortNumber(n)) > 0 {
			errs.Add(field.Invalid(at.Child("port"), n, "port is not valid: "+syntax.PortNumber(n)[0]))
		}
		if tree.Bool(spec, "insecureSkipTLSVerify") && tree.Text(spec, "caBundle") != "" {
			errs.Add(field.Invalid(p.Child("insecureSkipTLSVerify"), true, "may not be true if caBundle is present"))
		}
		return errs
	}
	if n := valid.DecodedLen(tree.Text(spec, "caBundle")); n > 0 {
		errs.Add(field.Invalid(p.Child("caBundle"), fmt.Sprintf("%d bytes", n), "local APIServices may not have a caBundle"))
	}
	if tree.Bool(spec, "insecureSkipTLSVerify") {
		errs.Add(field.Invalid(p.Child("insecureSkipTLSVerify"), true,
			"local APIServices may not have insecureSkipTLSVerify"))
	}
	return errs
}

var apiServiceGroup = rule.Fields{
	{Key: "group", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
}
