// Package admission has the strategies of the group admissionregistration.k8s.io: webhook
// configurations, and policies whose expressions are compiled when they are written.
package admission

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

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

func validateWebhooks(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	var names rule.Seen[string]
	for i, hook := range tree.Objects(obj, "webhooks") {
		at, name := field.Path("webhooks").Index(i), tree.Text(hook, "name")
		errs.Add(webhook.Check(hook, at)...)
		if names.Again(name) && name != "" {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
	}
	return errs
}

var webhook = rule.Fields{
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
	{Key: "rules", Is: rule.Each{Is: ruleWithOperations}},
	{Key: "failurePolicy", Is: rule.All{rule.IfSet{}, failurePolicies}},
	{Key: "matchPolicy", Is: rule.All{rule.IfSet{}, matchPolicies}},
	{Key: "sideEffects", Is: rule.All{
		rule.Present{Detail: "must specify one of None, NoneOnDryRun"},
		rule.OneOf{"None", "NoneOnDryRun"},
	}},
	{Key: "timeoutSeconds", Is: rule.All{
		rule.IfSet{},
		rule.AtLeast{Min: 1, Detail: "the timeout value must be between 1 and 30 seconds"},
		rule.AtMost{Max: 30, Detail: "the timeout value must be between 1 and 30 seconds"},
	}},
	{Key: "namespaceSelector", Is: rule.Object(valid.LabelSelector)},
	{Key: "objectSelector", Is: rule.Object(valid.LabelSelector)},
	{Key: "reinvocationPolicy", Is: rule.All{rule.IfSet{}, reinvocationPolicies}},
	{Key: "clientConfig", Is: rule.Object(ValidateClient)},
	{Is: rule.Object(validateMatchConditions)},
	{Key: "admissionReviewVersions", Is: rule.All{
		rule.Required{Detail: "must specify one of v1, v1beta1"},
		rule.Func(validateReviewVersions),
	}},
}

var (
	failurePolicies      = rule.Enum(enum.FailurePolicyType)
	matchPolicies        = rule.Enum(enum.MatchPolicyType)
	reinvocationPolicies = rule.Enum(enum.ReinvocationPolicyType)
	mutatedOperations    = rule.OneOf{"*", "CONNECT", "CREATE", "UPDATE"}
	validationActions    = rule.Enum(enum.ValidationAction)
)

func validateReviewVersions(v any, at field.Path) field.ErrorList {
	return ValidateReviewVersions(tree.Texts(map[string]any{"": v}, ""), at)
}

// ValidateReviewVersions returns the violations of the versions of reviews that a webhook takes.
func ValidateReviewVersions(versions []string, at field.Path) field.ErrorList {
	var errs field.ErrorList
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
}
