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
			def(hook, "reinvocationPolicy", "Never")
		}
	},
	Validate:       validateWebhooks,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateWebhooks(obj) },
}

func defaultWebhooks(obj map[string]any) {
	for _, hook := range entries(obj, "webhooks") {
		def(hook, "failurePolicy", "Fail")
		def(hook, "timeoutSeconds", int64(10))
		defaultMatching(hook)
		defaultScope(entries(hook, "rules"))
		if service := deep(hook, "clientConfig.service"); service != nil {
			def(service, "port", int64(443))
		}
	}
}

func defaultMatching(m map[string]any) {
	def(m, "matchPolicy", "Equivalent")
	def(m, "namespaceSelector", map[string]any{})
	def(m, "objectSelector", map[string]any{})
}

func defaultScope(rules []map[string]any) {
	for _, rule := range rules {
		def(rule, "scope", "*")
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
	names := map[string]bool{}
	for i, hook := range entries(obj, "webhooks") {
		at, name := field.Path("webhooks").Index(i), str(hook, "name")
		errs.Add(validateHookName(name, at.Child("name"))...)
		if names[name] {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
		names[name] = true
		errs.Add(validateReviewVersions(strs(hook, "admissionReviewVersions"), at.Child("admissionReviewVersions"))...)
		for j, rule := range entries(hook, "rules") {
			errs.Add(validateHookRule(rule, at.Child("rules").Index(j))...)
		}
		if hook["failurePolicy"] != nil {
			errs.Add(oneOf(hook, at, "failurePolicy", "Fail", "Ignore")...)
		}
		errs.Add(oneOf(hook, at, "matchPolicy", "Equivalent", "Exact")...)
		switch effects := str(hook, "sideEffects"); effects {
		case "":
			errs.Add(field.Required(at.Child("sideEffects"), "must specify one of None, NoneOnDryRun"))
		default:
			errs.Add(oneOf(hook, at, "sideEffects", "None", "NoneOnDryRun")...)
		}
		if n, ok := num(hook, "timeoutSeconds"); ok && (n < 1 || n > 30) {
			errs.Add(field.Invalid(at.Child("timeoutSeconds"), n, "the timeout value must be between 1 and 30 seconds"))
		}
		for _, s := range []string{"namespaceSelector", "objectSelector"} {
			errs.Add(validateLabelSelector(dict(hook, s), at.Child(s))...)
		}
		errs.Add(validateClient(dict(hook, "clientConfig"), at.Child("clientConfig"))...)
		errs.Add(validateMatchConditions(hook, at)...)
	}
	return errs
}

func validateHookName(name string, at field.Path) field.ErrorList {
	switch {
	case name == "":
		return field.ErrorList{field.Required(at, "")}
	case syntax.Subdomain(name) != nil:
		return invalid(at, name, syntax.Subdomain(name))
	case strings.Count(name, ".") < 2:
		return field.ErrorList{field.Invalid(at, name, "should be a domain with at least three segments separated by dots")}
	}
	return nil
}

func validateReviewVersions(versions []string, at field.Path) field.ErrorList {
	if len(versions) == 0 {
		return field.ErrorList{field.Required(at, "must specify one of v1, v1beta1")}
	}
	if !slices.Contains(versions, "v1") && !slices.Contains(versions, "v1beta1") {
		return field.ErrorList{field.Invalid(at, versions, "must include at least one of v1, v1beta1")}
	}
	return nil
}

func validateHookRule(rule map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	operations := strs(rule, "operations")
	if len(operations) == 0 {
		errs.Add(field.Required(at.Child("operations"), ""))
	}
	if slices.Contains(operations, "*") && len(operations) > 1 {
		errs.Add(field.Invalid(at.Child("operations"), operations, "if '*' is present, must not specify other operations"))
	}
	for i, op := range operations {
		if !slices.Contains([]string{"*", "CONNECT", "CREATE", "DELETE", "UPDATE"}, op) {
			errs.Add(field.NotSupported(at.Child("operations").Index(i), op, "*", "CONNECT", "CREATE", "DELETE", "UPDATE"))
		}
	}
	for _, name := range []string{"apiGroups", "apiVersions", "resources"} {
		values := strs(rule, name)
		if len(values) == 0 {
			errs.Add(field.Required(at.Child(name), ""))
		}
		if name != "resources" && slices.Contains(values, "*") && len(values) > 1 {
			errs.Add(field.Invalid(at.Child(name), values, "if '*' is present, must not specify other "+map[string]string{"apiGroups": "API groups", "apiVersions": "API versions"}[name]))
		}
	}
	if rule["scope"] != nil {
		errs.Add(oneOf(rule, at, "scope", "*", "Cluster", "Namespaced")...)
	}
	return errs
}

func validateClient(client map[string]any, at field.Path) field.ErrorList {
	address, service := str(client, "url"), dict(client, "service")
	switch {
	case (client["url"] == nil) == (service == nil):
		return field.ErrorList{field.Required(at, "exactly one of url or service is required")}
	case service != nil:
		at := at.Child("service")
		errs := required(service, at, "name", "namespace")
		if n, ok := num(service, "port"); ok && syntax.PortNumber(n) != nil {
			errs.Add(field.Invalid(at.Child("port"), n, "port is not valid: "+syntax.PortNumber(n)[0]))
		}
		return append(errs, validateHookPath(str(service, "path"), at.Child("path"))...)
	}
	return validateHookURL(address, at.Child("url"))
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
	Default: func(obj map[string]any) {
		spec := sub(obj, "spec")
		def(spec, "failurePolicy", "Fail")
		defaultMatchResources(dict(spec, "matchConstraints"))
	},
	Validate:       validateValidatingPolicy,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateValidatingPolicy(obj) },
}

var mutatingPolicy = Rules{
	Default: func(obj map[string]any) {
		spec := sub(obj, "spec")
		def(spec, "failurePolicy", "Fail")
		defaultMatchResources(dict(spec, "matchConstraints"))
	},
	Validate:       validateMutatingPolicy,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateMutatingPolicy(obj) },
}

func validateMutatingPolicy(obj map[string]any) field.ErrorList {
	spec := dict(obj, "spec")
	errs := validatePolicy(spec)
	for i, m := range entries(spec, "mutations") {
		at := field.Path("spec.mutations").Index(i)
		errs.Add(oneOf(m, at, "patchType", "ApplyConfiguration", "JSONPatch")...)
		errs.Add(mutationExpression(spec, m, at)...)
	}
	return append(errs, oneOf(spec, "spec", "reinvocationPolicy", "IfNeeded", "Never")...)
}

var policyBinding = Rules{
	Default:        func(obj map[string]any) { defaultMatchResources(deep(obj, "spec.matchResources")) },
	Validate:       validatePolicyBinding,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validatePolicyBinding(obj) },
}

func validatePolicyBinding(obj map[string]any) field.ErrorList {
	spec, p := dict(obj, "spec"), field.Path("spec")
	errs := required(spec, p, "policyName")
	if ref := dict(spec, "paramRef"); ref != nil {
		at := p.Child("paramRef")
		if str(ref, "name") != "" && ref["selector"] != nil {
			const both = "name and selector are mutually exclusive"
			errs.Add(field.Forbidden(at.Child("name"), both), field.Forbidden(at.Child("selector"), both))
		}
		if str(ref, "name") == "" && ref["selector"] == nil {
			errs.Add(field.Required(at, "one of name or selector must be specified"))
		}
	}
	actions := strs(spec, "validationActions")
	at := p.Child("validationActions")
	if len(actions) == 0 && str(obj, "kind") == "ValidatingAdmissionPolicyBinding" {
		errs.Add(field.Required(at, "at least one validation action is required"))
	}
	for i, action := range actions {
		if !slices.Contains([]string{"Audit", "Deny", "Warn"}, action) {
			errs.Add(field.NotSupported(at.Index(i), action, "Audit", "Deny", "Warn"))
		} else if slices.Contains(actions[:i], action) {
			errs.Add(field.Duplicate(at.Index(i), action))
		}
	}
	if slices.Contains(actions, "Deny") && slices.Contains(actions, "Warn") {
		errs.Add(field.Invalid(at, actions, fmt.Sprintf("must not contain both %s and %s (repeating the same validation failure information in the API response and headers serves no purpose)", "Deny", "Warn")))
	}
	return errs
}
