// Package policy has the strategies of ResourceQuotas, LimitRanges and PodDisruptionBudgets, and
// the check of a budget by an eviction.
package policy

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// ResourceQuota is the strategy of ResourceQuotas.
var ResourceQuota = strategy.Strategy{
	Default: func(obj map[string]any) {
		tree.RoundUp(tree.Object(obj, "spec"), "hard")
		tree.RoundUp(tree.Object(obj, "status"), "hard", "used")
	},
	PrepareCreate: warnQuota,
	Validate:      func(obj map[string]any) field.ErrorList { return validateQuota(tree.Object(obj, "spec")) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec := tree.Object(obj, "spec")
		errs := validateQuota(spec)
		scopes, before := tree.Texts(spec, "scopes"), tree.Texts(tree.Object(old, "spec"), "scopes")
		within := func(a, b []string) bool {
			all := tree.SetOf(b)
			return !slices.ContainsFunc(a, func(s string) bool { return !all[s] })
		}
		if !within(scopes, before) || !within(before, scopes) {
			errs.Add(field.Invalid("spec.scopes", spec["scopes"], rule.FieldImmutable))
		}
		return errs
	},
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		errs := validateAmounts(tree.Object(obj, "status"), "hard", "status")
		return append(errs, validateAmounts(tree.Object(obj, "status"), "used", "status")...)
	},
}

// validateAmounts checks the resources of a quota, and their amounts.
func validateAmounts(m map[string]any, key string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	amounts := tree.Object(m, key)
	for _, name := range tree.SortedKeys(amounts) {
		at, plain := at.Child(key).Key(name), !strings.Contains(name, "/")
		wrong := valid.ResourceName(name, at)
		if plain && (wrong != nil || name == "storage") {
			wrong.Add(field.Invalid(at, name, "must be a standard resource for quota"))
		}
		errs.Add(wrong...)
		errs.Add(valid.Amount(name, amounts[name], at)...)
	}
	return errs
}

// scopeResources are the resources that quotas of a scope may limit; without an entry, any.
var scopeResources = map[string][]string{
	"Terminating": podAmounts, "NotTerminating": podAmounts, "NotBestEffort": podAmounts, "PriorityClass": podAmounts,
	"CrossNamespacePodAffinity": podAmounts, "BestEffort": podAmounts[:1],
	"VolumeAttributesClass": {"persistentvolumeclaims", "requests.storage"},
}

var podAmounts = strings.Fields("pods cpu memory limits.cpu limits.memory requests.cpu requests.memory")

// validateQuota checks the spec of a quota, including both ways to select objects by scope.
func validateQuota(spec map[string]any) field.ErrorList {
	errs := validateAmounts(spec, "hard", "spec")
	at, scopes := field.Path("spec.scopes"), tree.Texts(spec, "scopes")
	// misfits is the number of resources that a scope does not allow.
	misfits := func(scope string) (n int) {
		for name := range tree.Object(spec, "hard") {
			standard := !strings.Contains(name, "/") && valid.ResourceName(name, "") == nil && name != "storage"
			if may := scopeResources[scope]; may != nil && standard && !slices.Contains(may, name) {
				n++
			}
		}
		return n
	}
	conflicts := func(scopes []string, at field.Path) {
		for _, s := range []string{"BestEffort", "Terminating"} {
			if slices.Contains(scopes, s) && slices.Contains(scopes, "Not"+s) {
				errs.Add(field.Invalid(at, spec["scopes"], "conflicting scopes"))
			}
		}
	}
	for _, scope := range scopes {
		if scopeResources[scope] == nil {
			errs.Add(field.Invalid(at, scopes, "unsupported scope"))
		}
		for range misfits(scope) {
			errs.Add(field.Invalid(at, scopes, "unsupported scope applied to resource"))
		}
	}
	conflicts(scopes, at)
	selector := tree.Object(spec, "scopeSelector")
	var selected []string
	for _, e := range tree.Objects(selector, "matchExpressions") {
		p, scope, op, values := field.Path("spec.scopeSelector.matchExpressions"), tree.Text(e, "scopeName"),
			tree.Text(e, "operator"), tree.Texts(e, "values")
		selected = append(selected, scope)
		if scopeResources[scope] == nil {
			errs.Add(field.Invalid(p.Child("scopeName"), scope, "unsupported scope"))
		}
		for range misfits(scope) {
			errs.Add(field.Invalid(p, shape.ScopeSelector.Print(selector),
				"unsupported scope applied to resource"))
		}
		switch scope {
		case "BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity":
			if op != "Exists" {
				errs.Add(field.Invalid(p.Child("operator"), op,
					"must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "+
						"ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"))
			}
		}
		switch {
		case op == "In" || op == "NotIn":
			if len(values) == 0 {
				errs.Add(field.Required(p.Child("values"),
					"must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"))
			}
		case op != "Exists" && op != "DoesNotExist":
			errs.Add(field.Invalid(p.Child("operator"), op, "not a valid selector operator"))
		case len(values) > 0:
			errs.Add(field.Invalid(p.Child("values"), values,
				"must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"))
		}
	}
	conflicts(selected, "spec.scopeSelector.matchExpressions")
	return errs
}

// warnQuota warns about quotas in which requests exceed limits.
func warnQuota(c *strategy.Context, obj map[string]any) {
	hard := tree.Object(tree.Object(obj, "spec"), "hard")
	for _, name := range []string{"cpu", "memory", "storage", "ephemeral-storage"} {
		request, limit := "requests."+name, "limits."+name
		if hard[request] == nil && (name == "cpu" || name == "memory") {
			request = name
		}
		if valid.MoreThan(hard[request], hard[limit]) {
			c.Warn("ResourceQuota " + request + " (" + tree.Text(hard, request) + ") should be less than " + limit + " (" +
				tree.Text(hard, limit) + ")")
		}
	}
}
