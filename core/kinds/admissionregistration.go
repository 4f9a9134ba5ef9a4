package kinds

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
)

// admissionregistration.k8s.io. What expressions are checked for is in expressions.go.

var validatingWebhooks = Rules{
	Default:        func(obj map[string]any) { defaultWebhooks(obj) },
	Validate:       validateWebhooks,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateWebhooks(obj) },
}

var mutatingWebhooks = Rules{
	Default: func(obj map[string]any) {
		defaultWebhooks(obj)
		for _, hook := range entries(obj, "webhooks") {
			defNil(hook, "reinvocationPolicy", "Never")
		}
	},
	Validate:       validateWebhooks,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateWebhooks(obj) },
}

func defaultWebhooks(obj map[string]any) {
	for _, hook := range entries(obj, "webhooks") {
		defNil(hook, "failurePolicy", "Fail")
		defNil(hook, "timeoutSeconds", int64(10))
		defaultMatching(hook)
		defaultScope(entries(hook, "rules"))
		if service := deep(hook, "clientConfig.service"); service != nil {
			defNil(service, "port", int64(443))
		}
	}
}

func defaultMatching(m map[string]any) {
	defNil(m, "matchPolicy", "Equivalent")
	defNil(m, "namespaceSelector", map[string]any{})
	defNil(m, "objectSelector", map[string]any{})
}

func defaultScope(rules []map[string]any) {
	for _, rule := range rules {
		defNil(rule, "scope", "*")
	}
}

func defaultMatchResources(m map[string]any) {
	if m == nil {
		return
	}
	defaultMatching(m)
	defaultScope(entries(m, "resourceRules"))
	defaultScope(entries(m, "excludeResourceRules"))
}

func validateWebhooks(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	var names seen[string]
	for i, hook := range entries(obj, "webhooks") {
		at, name := field.Path("webhooks").Index(i), str(hook, "name")
		errs.Add(hookRows.check(hook, at)...)
		if names.again(name) && name != "" {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
	}
	return errs
}

const (
	failurePolicies      = "in:Fail,Ignore"
	matchPolicies        = "in:Equivalent,Exact"
	reinvocationPolicies = "in:IfNeeded,Never"
)

var hookRows = rows{
	{key: "name", is: "need", and: func(_ map[string]any, v any, at field.Path) field.ErrorList {
		name, _ := v.(string)
		if wrong := syntax.Subdomain(name); name != "" && wrong != nil {
			return field.ErrorList{field.Invalid(at, name, strings.Join(wrong, ","))}
		}
		if strings.Count(name, ".") < 2 {
			return field.ErrorList{field.Invalid(at, name, "should be a domain with at least three segments separated by dots")}
		}
		return nil
	}},
	{key: "rules[]", of: hookRuleRows},
	{key: "failurePolicy", is: "set|" + failurePolicies},
	{key: "matchPolicy", is: "set|" + matchPolicies},
	{key: "sideEffects", is: "have:must specify one of None, NoneOnDryRun|in:None,NoneOnDryRun"},
	{key: "timeoutSeconds", is: "set|over:0:the timeout value must be between 1 and 30 seconds|upto:30:the timeout value must be between 1 and 30 seconds"},
	{key: "namespaceSelector", is: "selector"},
	{key: "objectSelector", is: "selector"},
	{key: "reinvocationPolicy", is: "set|" + reinvocationPolicies},
	{key: "clientConfig", and: validateClient},
	{and: func(_ map[string]any, v any, at field.Path) field.ErrorList {
		return validateMatchConditions(asMap(v), at)
	}},
	{key: "admissionReviewVersions", is: "need:must specify one of v1, v1beta1", and: func(_ map[string]any, v any, at field.Path) field.ErrorList {
		var errs field.ErrorList
		versions := strs(map[string]any{"": v}, "")
		var before seen[string]
		for i, version := range versions {
			if before.again(version) {
				errs.Add(field.Invalid(at.Index(i), version, "duplicate version"))
				continue
			}
			errs.Add(invalid(at.Index(i), version, syntax.Label1035(version))...)
		}
		if !slices.Contains(versions, "v1") && !slices.Contains(versions, "v1beta1") {
			errs.Add(field.Invalid(at, versions, "must include at least one of v1, v1beta1"))
		}
		return errs
	}},
}

// hookRuleRows are about what a webhook or a policy is for.
var hookRuleRows = rows{
	{key: "resourceNames[]", is: "unique:", of: rows{{is: "segment"}}},
	{key: "operations[]", is: "need|alone:operations", of: rows{{is: "in:*,CONNECT,CREATE,DELETE,UPDATE"}}},
	{key: "apiGroups", is: "need|alone:API groups"},
	{key: "apiVersions[]", is: "need|alone:API versions", of: rows{{is: "need"}}},
	{key: "resources", is: "need", and: hookResources},
	{key: "scope", is: "set|in:*,Cluster,Namespaced"},
}

// hookResources checks that resources with wildcards have none besides them that
// they are about as well.
func hookResources(_ map[string]any, v any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	resources := strs(map[string]any{"": v}, "")
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

func validateClient(_ map[string]any, v any, at field.Path) field.ErrorList {
	client := asMap(v)
	service := dict(client, "service")
	if (client["url"] == nil) == (service == nil) {
		return field.ErrorList{field.Required(at, "exactly one of url or service is required")}
	}
	if service == nil {
		return validateHookURL(str(client, "url"), at.Child("url"))
	}
	at = at.Child("service")
	var errs field.ErrorList
	// The real server mistakes one for the other.
	for _, name := range [][2]string{{"namespace", "name"}, {"name", "namespace"}} {
		if str(service, name[0]) == "" {
			errs.Add(field.Required(at.Child(name[1]), ""))
		}
	}
	if n, _ := num(service, "port"); syntax.PortNumber(n) != nil {
		errs.Add(field.Invalid(at.Child("port"), n, "port is not valid: "+syntax.PortNumber(n)[0]))
	}
	return append(errs, validateHookPath(str(service, "path"), at.Child("path"))...)
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

var validatingPolicy = Rules{
	Default:        defaultPolicy,
	Validate:       validateValidatingPolicy,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateValidatingPolicy(obj) },
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		status := dict(obj, "status")
		errs := rows{{key: "typeChecking.expressionWarnings[]", of: rows{{key: "warning", is: "need"}, {key: "fieldRef", is: "need"}}}}.check(status, "status")
		return append(errs, validateConditions(list(status, "conditions"), "status.conditions", conditionRows)...)
	},
}

var mutatingPolicy = Rules{
	Default:        defaultPolicy,
	Validate:       validateMutatingPolicy,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateMutatingPolicy(obj) },
}

func defaultPolicy(obj map[string]any) {
	spec := sub(obj, "spec")
	defNil(spec, "failurePolicy", "Fail")
	defaultMatchResources(dict(spec, "matchConstraints"))
}

// matchRows are about the objects that a policy or its binding is for.
var matchRows = rows{
	{key: "matchPolicy", is: "have|" + matchPolicies},
	{key: "namespaceSelector", is: "have|selector"},
	{key: "objectSelector", is: "have|selector"},
	{key: "resourceRules[]", of: hookRuleRows},
	{key: "excludeResourceRules[]", of: hookRuleRows},
}

// policyRows are about what all policies begin with.
var policyRows = rows{
	{key: "failurePolicy", is: "have|" + failurePolicies},
	{key: "paramKind", is: "set", and: validateParamKind},
	{key: "matchConstraints", is: "have", of: rows{{of: matchRows}, {key: "resourceRules", is: "need"}}},
}

func validateParamKind(_ map[string]any, v any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	add := func(key, value, words string, wrong []string) {
		if wrong != nil {
			errs.Add(field.Invalid(at.Child(key), value, words+strings.Join(wrong, ",")))
		}
	}
	apiVersion, kind := str(asMap(v), "apiVersion"), str(asMap(v), "kind")
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
	for _, rule := range entries(match, "resourceRules") {
		for _, operation := range strs(rule, "operations") {
			wrong, _ := checkWord("in", "*,CONNECT,CREATE,UPDATE", operation, at.Child("resourceRules", "operations"))
			errs.Add(wrong...)
		}
	}
	return errs
}

func validateMutatingPolicy(obj map[string]any) field.ErrorList {
	const at = field.Path("spec")
	spec := dict(obj, "spec")
	errs := policyRows.check(spec, at)
	errs.Add(mutableOnly(dict(spec, "matchConstraints"), at.Child("matchConstraints"))...)
	errs.Add(validateMatchConditions(spec, "spec")...)
	wrong, names := policyVariables(spec)
	errs.Add(wrong...)
	if len(list(spec, "mutations")) == 0 {
		errs.Add(field.Required(at.Child("mutations"), "mutations must contain at least one item"))
	}
	for i, m := range entries(spec, "mutations") {
		at := at.Child("mutations").Index(i)
		errs.Add(oneOf(m, at, "patchType", "ApplyConfiguration", "JSONPatch")...)
		errs.Add(mutationExpression(spec, m, names, at)...)
	}
	return append(errs, rows{{key: "reinvocationPolicy", is: "need|" + reinvocationPolicies}}.check(spec, at)...)
}

var policyBinding = Rules{
	Default:        func(obj map[string]any) { defaultMatchResources(deep(obj, "spec.matchResources")) },
	Validate:       validatePolicyBinding,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validatePolicyBinding(obj) },
}

var policyBindingRows = rows{
	{key: "policyName", is: "need|subdomain"},
	{key: "paramRef", is: "set", and: func(_ map[string]any, v any, at field.Path) field.ErrorList {
		const both = "name and selector are mutually exclusive"
		ref := asMap(v)
		selector, named := dict(ref, "selector"), str(ref, "name") != ""
		errs := validateForm("segment", str(ref, "name"), at.Child("name"))
		if named && selector != nil {
			errs.Add(field.Forbidden(at.Child("name"), both))
		}
		errs.Add(validateLabelSelector(selector, at.Child("selector"))...)
		if named && selector != nil {
			errs.Add(field.Forbidden(at.Child("selector"), both))
		}
		if !named && selector == nil {
			errs.Add(field.Required(at, "one of name or selector must be specified"))
		}
		return append(errs, rows{{key: "parameterNotFoundAction", is: "need|in:Deny,Allow"}}.check(ref, at)...)
	}},
	{key: "matchResources", is: "set", of: matchRows},
}

func validatePolicyBinding(obj map[string]any) field.ErrorList {
	spec, p := dict(obj, "spec"), field.Path("spec")
	errs := policyBindingRows.check(spec, p)
	if str(obj, "kind") != "ValidatingAdmissionPolicyBinding" {
		return append(errs, mutableOnly(dict(spec, "matchResources"), p.Child("matchResources"))...)
	}
	at, actions := p.Child("validationActions"), strs(spec, "validationActions")
	if len(actions) == 0 {
		return append(errs, field.Required(at, "at least one validation action is required"))
	}
	for i, action := range actions {
		wrong, _ := checkWord("in", "Audit,Deny,Warn", action, at.Index(i))
		errs.Add(wrong...)
		if slices.Contains(actions[:i], action) {
			errs.Add(field.Duplicate(at.Index(i), action))
		}
	}
	if slices.Contains(actions, "Deny") && slices.Contains(actions, "Warn") {
		errs.Add(field.Invalid(at, actions, "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"))
	}
	return errs
}
