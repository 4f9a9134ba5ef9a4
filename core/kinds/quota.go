package kinds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/object"
)

// LimitRanges and ResourceQuotas

var limitRange = Rules{
	PrepareCreate: func(c *Context, obj map[string]any) {
		if object.Name(obj) == "" {
			object.Meta(obj)["name"] = c.NewUID()
		}
	},
	Default: func(obj map[string]any) {
		for _, item := range entries(dict(obj, "spec"), "limits") {
			if str(item, "type") != "Container" {
				continue
			}
			for _, fill := range [][2]string{{"default", "max"}, {"defaultRequest", "default"}, {"defaultRequest", "min"}} {
				for name, v := range dict(item, fill[1]) {
					def(sub(item, fill[0]), name, v)
				}
			}
		}
	},
	Validate:       func(obj map[string]any) field.ErrorList { return validateLimits(dict(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateLimits(dict(obj, "spec")) },
}

func validateLimits(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, item := range entries(spec, "limits") {
		at, kind := field.Path("spec.limits").Index(i), str(item, "type")
		wrong := rule.Invalid(at.Child("type"), kind, syntax.LabelKey(kind))
		if wrong == nil && !strings.Contains(kind, "/") && !slices.Contains([]string{"Pod", "Container", "PersistentVolumeClaim"}, kind) {
			wrong.Add(field.Invalid(at.Child("type"), kind, "must be a standard limit type or fully qualified"))
		}
		errs.Add(wrong...)
		if seen[kind] {
			errs.Add(field.Duplicate(at.Child("type"), kind))
		}
		seen[kind] = true
		named := validateResourceName
		if kind == "Pod" || kind == "Container" {
			named = validateResource
		}
		names := map[string]any{}
		for _, list := range []string{"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"} {
			if list == "maxLimitRequestRatio" && kind == "PersistentVolumeClaim" && deep(item, "min")["storage"] == nil && deep(item, "max")["storage"] == nil {
				errs.Add(field.Required(at.Child("limits"), "either minimum or maximum storage value is required, but neither was provided"))
			}
			amounts := dict(item, list)
			if kind == "Pod" && strings.HasPrefix(list, "default") {
				if len(amounts) > 0 {
					errs.Add(field.Forbidden(at.Child(list), "may not be specified when `type` is 'Pod'"))
				}
				continue
			}
			for _, name := range sortedKeys(amounts) {
				errs.Add(named(name, at.Child(list).Key(name))...)
				names[name] = true
			}
		}
		for _, name := range sortedKeys(names) {
			errs.Add(validateLimit(item, name, at)...)
		}
	}
	return errs
}

// validateLimit checks that the bounds and defaults of one resource go together.
func validateLimit(item map[string]any, name string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	of := func(list string) any {
		if str(item, "type") == "Pod" && strings.HasPrefix(list, "default") {
			return nil
		}
		return dict(item, list)[name]
	}
	low, high, request, limit := of("min"), of("max"), of("defaultRequest"), of("default")
	order := func(list, what string, a any, than string, b any, shown any) {
		if moreThan(a, b) {
			errs.Add(field.Invalid(at.Child(list).Key(name), shown, fmt.Sprintf("%s value %v is greater than %s value %v", what, a, than, b)))
		}
	}
	order("min", "min", low, "max", high, low)
	order("defaultRequest", "min", low, "default request", request, request)
	order("defaultRequest", "default request", request, "max", high, request)
	order("defaultRequest", "default request", request, "default limit", limit, request)
	order("default", "min", low, "default", limit, low)
	order("default", "default", limit, "max", high, high)
	if r, ok := quantity(of("maxLimitRequestRatio")); ok {
		at, shown, ratio := at.Child("maxLimitRequestRatio").Key(name), of("maxLimitRequestRatio"), r.Float()
		if ratio < 1 {
			errs.Add(field.Invalid(at, shown, fmt.Sprintf("ratio %v is less than 1", shown)))
		}
		a, hasLow := quantity(low)
		b, hasHigh := quantity(high)
		if most := b.Float() / a.Float(); hasLow && hasHigh && signOf(low) != 0 && ratio > most {
			errs.Add(field.Invalid(at, shown, fmt.Sprintf("ratio %v is greater than max/min = %f", shown, most)))
		}
	}
	if fixed := !isNative(name) || strings.HasPrefix(name, "hugepages-"); fixed && (moreThan(limit, request) || moreThan(request, limit)) {
		errs.Add(field.Invalid(at.Child("defaultRequest").Key(name), request, fmt.Sprintf("default value %v must equal to defaultRequest value %v in %s", limit, request, name)))
	}
	return errs
}

var resourceQuota = Rules{
	PrepareCreate: warnQuota,
	Validate:      func(obj map[string]any) field.ErrorList { return validateQuota(dict(obj, "spec")) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec := dict(obj, "spec")
		errs := validateQuota(spec)
		scopes, before := strs(spec, "scopes"), strs(dict(old, "spec"), "scopes")
		within := func(a, b []string) bool {
			return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
		}
		if !within(scopes, before) || !within(before, scopes) {
			errs.Add(field.Invalid("spec.scopes", spec["scopes"], immutable))
		}
		return errs
	},
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		errs := validateAmounts(dict(obj, "status"), "hard", "status")
		return append(errs, validateAmounts(dict(obj, "status"), "used", "status")...)
	},
}

// validateAmounts checks of what and how much a quota speaks.
func validateAmounts(m map[string]any, key string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	amounts := dict(m, key)
	for _, name := range sortedKeys(amounts) {
		at, plain := at.Child(key).Key(name), !strings.Contains(name, "/")
		wrong := validateResourceName(name, at)
		if plain && (wrong != nil || name == "storage") {
			wrong.Add(field.Invalid(at, name, "must be a standard resource for quota"))
		}
		errs.Add(wrong...)
		errs.Add(validateAmount(name, amounts[name], at)...)
	}
	return errs
}

// validateAmount checks how much there is of something.
func validateAmount(name string, v any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if negative(v) {
		errs.Add(field.Invalid(at, v, notNegative))
	}
	// What is counted comes last among the names.
	counted := slices.Contains(quotaResources[6:], name) && !strings.HasSuffix(name, "storage") || isExtended(name)
	if q, ok := quantity(v); ok && counted && !q.Whole() {
		errs.Add(field.Invalid(at, v, "must be an integer"))
	}
	return errs
}

// scopeResources are what quotas of a scope may be about; without an entry, anything.
var scopeResources = map[string][]string{
	"Terminating": podAmounts, "NotTerminating": podAmounts, "NotBestEffort": podAmounts, "PriorityClass": podAmounts,
	"CrossNamespacePodAffinity": podAmounts, "BestEffort": podAmounts[:1], "VolumeAttributesClass": {"persistentvolumeclaims", "requests.storage"},
}

var podAmounts = strings.Fields("pods cpu memory limits.cpu limits.memory requests.cpu requests.memory")

// validateQuota checks the spec of a quota: what it is about, in both ways to say
// which objects count.
func validateQuota(spec map[string]any) field.ErrorList {
	errs := validateAmounts(spec, "hard", "spec")
	at, scopes := field.Path("spec.scopes"), strs(spec, "scopes")
	// misfits are how many of the amounts cannot be of a scope.
	misfits := func(scope string) (n int) {
		for name := range dict(spec, "hard") {
			standard := !strings.Contains(name, "/") && validateResourceName(name, "") == nil && name != "storage"
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
	selector := dict(spec, "scopeSelector")
	var selected []string
	for _, e := range entries(selector, "matchExpressions") {
		p, scope, op, values := field.Path("spec.scopeSelector.matchExpressions"), str(e, "scopeName"), str(e, "operator"), strs(e, "values")
		selected = append(selected, scope)
		if scopeResources[scope] == nil {
			errs.Add(field.Invalid(p.Child("scopeName"), scope, "unsupported scope"))
		}
		for range misfits(scope) {
			errs.Add(field.Invalid(p, goTree(selector, "MatchExpressions[ScopeName Operator Values]"), "unsupported scope applied to resource"))
		}
		switch scope {
		case "BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity":
			if op != "Exists" {
				errs.Add(field.Invalid(p.Child("operator"), op, "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "+
					"ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"))
			}
		}
		switch {
		case op == "In" || op == "NotIn":
			if len(values) == 0 {
				errs.Add(field.Required(p.Child("values"), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"))
			}
		case op != "Exists" && op != "DoesNotExist":
			errs.Add(field.Invalid(p.Child("operator"), op, "not a valid selector operator"))
		case len(values) > 0:
			errs.Add(field.Invalid(p.Child("values"), values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"))
		}
	}
	conflicts(selected, "spec.scopeSelector.matchExpressions")
	return errs
}
