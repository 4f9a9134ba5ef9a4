// Package admission has the strategies of the group admissionregistration.k8s.io: webhook
// configurations, and policies whose expressions are compiled when they are written.
package admission

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
)

// admissionregistration.k8s.io. What expressions are checked for is in expressions.go.

var ValidatingWebhooks = strategy.Strategy{
	Default:        func(obj map[string]any) { defaultWebhooks(obj) },
	Validate:       validateWebhooks,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateWebhooks(obj) },
}

var MutatingWebhooks = strategy.Strategy{
	Default: func(obj map[string]any) {
		defaultWebhooks(obj)
		for _, hook := range tree.Objects(obj, "webhooks") {
			tree.DefaultNil(hook, "reinvocationPolicy", "Never")
		}
	},
	Validate:       validateWebhooks,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateWebhooks(obj) },
}

func defaultWebhooks(obj map[string]any) {
	for _, hook := range tree.Objects(obj, "webhooks") {
		tree.DefaultNil(hook, "failurePolicy", "Fail")
		tree.DefaultNil(hook, "timeoutSeconds", int64(10))
		defaultMatching(hook)
		defaultScope(tree.Objects(hook, "rules"))
		if service := tree.At(hook, "clientConfig.service"); service != nil {
			tree.DefaultNil(service, "port", int64(443))
		}
	}
}

func defaultMatching(m map[string]any) {
	tree.DefaultNil(m, "matchPolicy", "Equivalent")
	tree.DefaultNil(m, "namespaceSelector", map[string]any{})
	tree.DefaultNil(m, "objectSelector", map[string]any{})
}

func defaultScope(rules []map[string]any) {
	for _, rule := range rules {
		tree.DefaultNil(rule, "scope", "*")
	}
}

func defaultMatchResources(m map[string]any) {
	if m == nil {
		return
	}
	defaultMatching(m)
	defaultScope(tree.Objects(m, "resourceRules"))
	defaultScope(tree.Objects(m, "excludeResourceRules"))
}

func validateWebhooks(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	var names rule.Seen[string]
	for i, hook := range tree.Objects(obj, "webhooks") {
		at, name := field.Path("webhooks").Index(i), tree.Text(hook, "name")
		errs.Add(hookRules.Check(hook, at)...)
		if names.Again(name) && name != "" {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
	}
	return errs
}

var (
	failurePolicies      = rule.OneOf{"Fail", "Ignore"}
	matchPolicies        = rule.OneOf{"Equivalent", "Exact"}
	reinvocationPolicies = rule.OneOf{"IfNeeded", "Never"}
	mutatedOperations    = rule.OneOf{"*", "CONNECT", "CREATE", "UPDATE"}
	validationActions    = rule.OneOf{"Audit", "Deny", "Warn"}
)

var hookRules = rule.Fields{
	{Key: "name", Is: rule.All{rule.Required{}, rule.Func(func(v any, at field.Path) field.ErrorList {
		name, _ := v.(string)
		if wrong := syntax.Subdomain(name); name != "" && wrong != nil {
			return field.ErrorList{field.Invalid(at, name, strings.Join(wrong, ","))}
		}
		if strings.Count(name, ".") < 2 {
			return field.ErrorList{field.Invalid(at, name, "should be a domain with at least three segments separated by dots")}
		}
		return nil
	})}},
	{Key: "rules", Is: rule.Each{Is: hookRuleRules}},
	{Key: "failurePolicy", Is: rule.All{rule.IfSet{}, failurePolicies}},
	{Key: "matchPolicy", Is: rule.All{rule.IfSet{}, matchPolicies}},
	{Key: "sideEffects", Is: rule.All{rule.Present{Detail: "must specify one of None, NoneOnDryRun"}, rule.OneOf{"None", "NoneOnDryRun"}}},
	{Key: "timeoutSeconds", Is: rule.All{rule.IfSet{}, rule.AtLeast{Min: 1, Detail: "the timeout value must be between 1 and 30 seconds"}, rule.AtMost{Max: 30, Detail: "the timeout value must be between 1 and 30 seconds"}}},
	{Key: "namespaceSelector", Is: rule.Object(valid.LabelSelector)},
	{Key: "objectSelector", Is: rule.Object(valid.LabelSelector)},
	{Key: "reinvocationPolicy", Is: rule.All{rule.IfSet{}, reinvocationPolicies}},
	{Key: "clientConfig", Is: rule.Compare(ValidateClient)},
	{Is: rule.Func(func(v any, at field.Path) field.ErrorList {
		return ValidateMatchConditions(tree.Map(v), at)
	})},
	{Key: "admissionReviewVersions", Is: rule.All{rule.Required{Detail: "must specify one of v1, v1beta1"}, rule.Func(func(v any, at field.Path) field.ErrorList {
		var errs field.ErrorList
		versions := tree.Texts(map[string]any{"": v}, "")
		var before rule.Seen[string]
		for i, version := range versions {
			if before.Again(version) {
				errs.Add(field.Invalid(at.Index(i), version, "duplicate version"))
				continue
			}
			errs.Add(rule.Invalid(at.Index(i), version, syntax.Label1035(version))...)
		}
		if !slices.Contains(versions, "v1") && !slices.Contains(versions, "v1beta1") {
			errs.Add(field.Invalid(at, versions, "must include at least one of v1, v1beta1"))
		}
		return errs
	})}},
}

// hookRuleRules are about what a webhook or a policy is for.
var hookRuleRules = rule.Fields{
	{Key: "resourceNames", Is: rule.All{rule.Each{Is: rule.Form(syntax.PathSegment)}, rule.UniqueKey("")}},
	{Key: "operations", Is: rule.All{rule.Required{}, rule.AloneIfAny("operations"), rule.Each{Is: rule.OneOf{"*", "CONNECT", "CREATE", "DELETE", "UPDATE"}}}},
	{Key: "apiGroups", Is: rule.All{rule.Required{}, rule.AloneIfAny("API groups")}},
	{Key: "apiVersions", Is: rule.All{rule.Required{}, rule.AloneIfAny("API versions"), rule.Each{Is: rule.Required{}}}},
	{Key: "resources", Is: rule.All{rule.Required{}, rule.Compare(hookResources)}},
	{Key: "scope", Is: rule.All{rule.IfSet{}, rule.OneOf{"*", "Cluster", "Namespaced"}}},
}

// hookResources checks that resources with wildcards have none besides them that
// they are about as well.
func hookResources(_ map[string]any, v any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	resources := tree.Texts(map[string]any{"": v}, "")
	plain := false
	for i, name := range resources {
		if name == "" {
			errs.Add(field.Required(at.Index(i), ""))
			continue
		}
		resource, sub, nested := strings.Cut(name, "/")
		if !nested {
			plain = name != "*"
			continue
		}
		for _, whole := range []string{resource + "/*", "*/" + sub} {
			if slices.Contains(resources[:i], whole) {
				errs.Add(field.Invalid(at.Index(i), name, fmt.Sprintf("if '%s' is present, must not specify %s", whole, name)))
			}
		}
	}
	if len(resources) > 1 && slices.Contains(resources, "*/*") {
		errs.Add(field.Invalid(at, v, "if '*/*' is present, must not specify other resources"))
	}
	if plain && slices.Contains(resources, "*") {
		errs.Add(field.Invalid(at, v, "if '*' is present, must not specify other resources without subresources"))
	}
	return errs
}

func ValidateClient(_ map[string]any, v any, at field.Path) field.ErrorList {
	client := tree.Map(v)
	service := tree.Object(client, "service")
	if (client["url"] == nil) == (service == nil) {
		return field.ErrorList{field.Required(at, "exactly one of url or service is required")}
	}
	if service == nil {
		return validateHookURL(tree.Text(client, "url"), at.Child("url"))
	}
	at = at.Child("service")
	var errs field.ErrorList
	// The real server mistakes one for the other.
	for _, name := range [][2]string{{"namespace", "name"}, {"name", "namespace"}} {
		if tree.Text(service, name[0]) == "" {
			errs.Add(field.Required(at.Child(name[1]), ""))
		}
	}
	if n, _ := tree.Int(service, "port"); syntax.PortNumber(n) != nil {
		errs.Add(field.Invalid(at.Child("port"), n, "port is not valid: "+syntax.PortNumber(n)[0]))
	}
	return append(errs, validateHookPath(tree.Text(service, "path"), at.Child("path"))...)
}

// validateHookPath checks the path that a service is called under: every segment is a
// subdomain, and there may be a slash at the end.
func validateHookPath(path string, at field.Path) field.ErrorList {
	if path == "" || path == "/" {
		return nil
	}
	var errs field.ErrorList
	if path[0] != '/' {
		errs.Add(field.Invalid(at, path, "must start with a '/'"))
	}
	for i, segment := range strings.Split(strings.TrimSuffix(path[1:], "/"), "/") {
		if segment == "" {
			errs.Add(field.Invalid(at, path, fmt.Sprintf("segment[%d] may not be empty", i)))
			continue
		}
		for _, wrong := range syntax.Subdomain(segment) {
			errs.Add(field.Invalid(at, path, fmt.Sprintf("segment[%d]: %s", i, wrong)))
		}
	}
	return errs
}

func validateHookURL(address string, at field.Path) field.ErrorList {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(address)
	if err != nil {
		return field.ErrorList{field.Required(at, "url must be a valid URL: "+err.Error()+form)}
	}
	var errs field.ErrorList
	if u.Scheme != "https" {
		errs.Add(field.Invalid(at, u.Scheme, "'https' is the only allowed URL scheme"+form))
	}
	if u.Host == "" {
		errs.Add(field.Invalid(at, u.Host, "host must be specified"+form))
	}
	if u.User != nil {
		errs.Add(field.Invalid(at, u.User.String(), "user information is not permitted in the URL"))
	}
	if u.Fragment != "" {
		errs.Add(field.Invalid(at, u.Fragment, "fragments are not permitted in the URL"))
	}
	if u.RawQuery != "" {
		errs.Add(field.Invalid(at, u.RawQuery, "query parameters are not permitted in the URL"))
	}
	return errs
}

var ValidatingPolicy = strategy.Strategy{
	Default:        defaultPolicy,
	Validate:       validateValidatingPolicy,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateValidatingPolicy(obj) },
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		status := tree.Object(obj, "status")
		errs := rule.Fields{
			{Key: "typeChecking", Is: rule.Fields{
				{Key: "expressionWarnings", Is: rule.Each{Is: rule.Fields{
					{Key: "warning", Is: rule.Required{}},
					{Key: "fieldRef", Is: rule.Required{}},
				}}},
			}},
		}.Check(status, "status")
		return append(errs, valid.Conditions(tree.List(status, "conditions"), "status.conditions", valid.ConditionRules)...)
	},
}

var MutatingPolicy = strategy.Strategy{
	Default:        defaultPolicy,
	Validate:       validateMutatingPolicy,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateMutatingPolicy(obj) },
}

func defaultPolicy(obj map[string]any) {
	spec := tree.Make(obj, "spec")
	tree.DefaultNil(spec, "failurePolicy", "Fail")
	defaultMatchResources(tree.Object(spec, "matchConstraints"))
}

// matchRules are about the objects that a policy or its binding is for.
var matchRules = rule.Fields{
	{Key: "matchPolicy", Is: rule.All{rule.Present{}, matchPolicies}},
	{Key: "namespaceSelector", Is: rule.All{rule.Present{}, rule.Object(valid.LabelSelector)}},
	{Key: "objectSelector", Is: rule.All{rule.Present{}, rule.Object(valid.LabelSelector)}},
	{Key: "resourceRules", Is: rule.Each{Is: hookRuleRules}},
	{Key: "excludeResourceRules", Is: rule.Each{Is: hookRuleRules}},
}

// policyRules are about what all policies begin with.
var policyRules = rule.Fields{
	{Key: "failurePolicy", Is: rule.All{rule.Present{}, failurePolicies}},
	{Key: "paramKind", Is: rule.All{rule.IfSet{}, rule.Compare(validateParamKind)}},
	{Key: "matchConstraints", Is: rule.All{rule.Present{}, rule.Fields{
		{Is: matchRules},
		{Key: "resourceRules", Is: rule.Required{}},
	}}},
}

func validateParamKind(_ map[string]any, v any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	add := func(key, value, words string, wrong []string) {
		if wrong != nil {
			errs.Add(field.Invalid(at.Child(key), value, words+strings.Join(wrong, ",")))
		}
	}
	apiVersion, kind := tree.Text(tree.Map(v), "apiVersion"), tree.Text(tree.Map(v), "kind")
	group, version, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		group, version = "", apiVersion
	}
	switch {
	case apiVersion == "":
		errs.Add(field.Required(at.Child("apiVersion"), ""))
	case strings.Contains(version, "/"):
		add("apiVersion", apiVersion, "", []string{"unexpected GroupVersion string: " + apiVersion})
	default:
		if group != "" {
			add("apiVersion", group, "", syntax.Subdomain(group))
		}
		if version == "" {
			add("apiVersion", apiVersion, "", []string{"version must be specified"})
		} else {
			add("apiVersion", version, "", syntax.Label1035(version))
		}
	}
	if kind == "" {
		return append(errs, field.Required(at.Child("kind"), ""))
	}
	add("kind", kind, "may have mixed case, but should otherwise match: ", syntax.Label1035(strings.ToLower(kind)))
	return errs
}

// mutableOnly checks that a policy that changes objects is for none that go.
func mutableOnly(match map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, m := range tree.Objects(match, "resourceRules") {
		for _, operation := range tree.Texts(m, "operations") {
			errs.Add(rule.Check(operation, at.Child("resourceRules", "operations"), mutatedOperations)...)
		}
	}
	return errs
}

func validateMutatingPolicy(obj map[string]any) field.ErrorList {
	const at = field.Path("spec")
	spec := tree.Object(obj, "spec")
	errs := policyRules.Check(spec, at)
	errs.Add(mutableOnly(tree.Object(spec, "matchConstraints"), at.Child("matchConstraints"))...)
	errs.Add(ValidateMatchConditions(spec, "spec")...)
	wrong, names := policyVariables(spec)
	errs.Add(wrong...)
	if len(tree.List(spec, "mutations")) == 0 {
		errs.Add(field.Required(at.Child("mutations"), "mutations must contain at least one item"))
	}
	for i, m := range tree.Objects(spec, "mutations") {
		at := at.Child("mutations").Index(i)
		errs.Add(rule.RequireOneOf(m, at, "patchType", "ApplyConfiguration", "JSONPatch")...)
		errs.Add(mutationExpression(spec, m, names, at)...)
	}
	return append(errs, rule.Fields{
		{Key: "reinvocationPolicy", Is: rule.All{rule.Required{}, reinvocationPolicies}},
	}.Check(spec, at)...)
}

var PolicyBinding = strategy.Strategy{
	Default:        func(obj map[string]any) { defaultMatchResources(tree.At(obj, "spec.matchResources")) },
	Validate:       validatePolicyBinding,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validatePolicyBinding(obj) },
}

var policyBindingRules = rule.Fields{
	{Key: "policyName", Is: rule.All{rule.Required{}, rule.Form(syntax.Subdomain)}},
	{Key: "paramRef", Is: rule.All{rule.IfSet{}, rule.Func(func(v any, at field.Path) field.ErrorList {
		const both = "name and selector are mutually exclusive"
		ref := tree.Map(v)
		selector, named := tree.Object(ref, "selector"), tree.Text(ref, "name") != ""
		errs := rule.Check(tree.Text(ref, "name"), at.Child("name"), rule.Form(syntax.PathSegment))
		if named && selector != nil {
			errs.Add(field.Forbidden(at.Child("name"), both))
		}
		errs.Add(valid.LabelSelector(selector, at.Child("selector"))...)
		if named && selector != nil {
			errs.Add(field.Forbidden(at.Child("selector"), both))
		}
		if !named && selector == nil {
			errs.Add(field.Required(at, "one of name or selector must be specified"))
		}
		return append(errs, rule.Fields{
			{Key: "parameterNotFoundAction", Is: rule.All{rule.Required{}, rule.OneOf{"Deny", "Allow"}}},
		}.Check(ref, at)...)
	})}},
	{Key: "matchResources", Is: rule.All{rule.IfSet{}, matchRules}},
}

func validatePolicyBinding(obj map[string]any) field.ErrorList {
	spec, p := tree.Object(obj, "spec"), field.Path("spec")
	errs := policyBindingRules.Check(spec, p)
	if tree.Text(obj, "kind") != "ValidatingAdmissionPolicyBinding" {
		return append(errs, mutableOnly(tree.Object(spec, "matchResources"), p.Child("matchResources"))...)
	}
	at, actions := p.Child("validationActions"), tree.Texts(spec, "validationActions")
	if len(actions) == 0 {
		return append(errs, field.Required(at, "at least one validation action is required"))
	}
	for i, action := range actions {
		errs.Add(rule.Check(action, at.Index(i), validationActions)...)
		if slices.Contains(actions[:i], action) {
			errs.Add(field.Duplicate(at.Index(i), action))
		}
	}
	if slices.Contains(actions, "Deny") && slices.Contains(actions, "Warn") {
		errs.Add(field.Invalid(at, actions, "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"))
	}
	return errs
}
