package kinds

import (
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/selector"
)

// What workloads share: a selector, a template, and counts of what runs.

// validateRolling checks how many pods may be missing or too many during an
// update.
func validateRolling(rolling map[string]any, at field.Path) field.ErrorList {
	missing, extra := rolling["maxUnavailable"], rolling["maxSurge"]
	errs := countOrPercent(missing, at.Child("maxUnavailable"))
	errs.Add(countOrPercent(extra, at.Child("maxSurge"))...)
	if n, _ := countOf(missing); n == 0 {
		if n, _ := countOf(extra); n == 0 {
			errs.Add(field.Invalid(at.Child("maxUnavailable"), missing, "may not be 0 when `maxSurge` is 0"))
		}
	}
	return append(errs, atMostAll(missing, at.Child("maxUnavailable"))...)
}

func countOrPercent(v any, at field.Path) field.ErrorList {
	if text, ok := v.(string); ok {
		return rule.Invalid(at, text, syntax.Percent(text))
	}
	if n, _ := v.(int64); n < 0 {
		return field.ErrorList{field.Invalid(at, n, notNegative)}
	}
	return nil
}

// countOf is the number in a count or percentage.
func countOf(v any) (n int64, percent bool) {
	if text, ok := v.(string); ok {
		if syntax.Percent(text) != nil {
			n, _ = strconv.ParseInt(text, 10, 64) // as the real server does
			return n, false
		}
		n, _ = strconv.ParseInt(strings.TrimSuffix(text, "%"), 10, 64)
		return n, true
	}
	n, _ = v.(int64)
	return n, false
}

func atMostAll(v any, at field.Path) field.ErrorList {
	if n, percent := countOf(v); percent && n > 100 {
		return field.ErrorList{field.Invalid(at, v, "must not be greater than 100%")}
	}
	return nil
}

// validateSelectorOf checks the selector of a workload.
func validateSelectorOf(spec map[string]any, kind string) field.ErrorList {
	at := field.Path("spec.selector")
	s := dict(spec, "selector")
	if s == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	errs := validateLabelSelector(s, at)
	if len(dict(s, "matchLabels"))+len(list(s, "matchExpressions")) == 0 {
		errs.Add(field.Invalid(at, printSelector(s), "empty selector is invalid for "+kind))
	}
	return errs
}

func printSelector(s map[string]any) field.Raw { return ordered(s, "matchLabels", "matchExpressions") }

func validateLabelSelector(s map[string]any, at field.Path) field.ErrorList {
	errs := validateLabels(dict(s, "matchLabels"), at.Child("matchLabels"))
	for i, e := range entries(s, "matchExpressions") {
		errs.Add(validateExpression(e, at.Child("matchExpressions").Index(i), true)...)
	}
	return errs
}

// validateExpression checks one expression of a selector; strict, its values too.
func validateExpression(e map[string]any, at field.Path, strict bool) field.ErrorList {
	errs := validateOperator(str(e, "operator"), len(list(e, "values")), at)
	return append(errs, validateExpressionParts(e, at, strict)...)
}

func validateExpressionParts(e map[string]any, at field.Path, strict bool) field.ErrorList {
	errs := storageClassKeyRules.Check(e, at)
	if strict {
		for j, v := range strs(e, "values") {
			errs.Add(rule.Invalid(at.Child("values").Index(j), v, syntax.LabelValue(v))...)
		}
	}
	return errs
}

// validateOperator checks that a requirement of a selector has as many values as
// its operator needs.
func validateOperator(op string, values int, at field.Path) field.ErrorList {
	switch op {
	case "In", "NotIn":
		if values == 0 {
			return field.ErrorList{field.Required(at.Child("values"), "must be specified when `operator` is 'In' or 'NotIn'")}
		}
	case "Exists", "DoesNotExist":
		if values > 0 {
			return field.ErrorList{field.Forbidden(at.Child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")}
		}
	default:
		return field.ErrorList{field.Invalid(at.Child("operator"), op, "not a valid selector operator")}
	}
	return nil
}

// validateTemplateOf checks the template of a workload whose pods run for ever,
// and that its selector finds them.
func validateTemplateOf(spec map[string]any, kind string) field.ErrorList {
	errs, ok := validateSelects(spec)
	if !ok {
		return field.ErrorList{field.Invalid("spec.selector", printSelector(dict(spec, "selector")), "invalid label selector")}
	}
	template := dict(spec, "template")
	errs.Add(validateTemplate(template, "spec.template")...)
	return append(errs, validateForever(template, kind)...)
}

// validateForever checks that the pods of a template run for ever.
func validateForever(template map[string]any, kind string) field.ErrorList {
	var errs field.ErrorList
	spec, at := dict(template, "spec"), field.Path("spec.template.spec")
	if policy := str(spec, "restartPolicy"); policy != "Always" {
		errs.Add(field.NotSupported(at.Child("restartPolicy"), policy, "Always"))
	}
	if spec["activeDeadlineSeconds"] != nil {
		errs.Add(field.Forbidden(at.Child("activeDeadlineSeconds"), "activeDeadlineSeconds in "+kind+" is not Supported"))
	}
	return errs
}

// validateSelects checks that a selector finds the pods of its template. It fails
// if there can be no such selector; a missing one finds none.
func validateSelects(spec map[string]any) (errs field.ErrorList, ok bool) {
	labels := deep(spec, "template.metadata.labels")
	s, some, err := selector.FromLabelSelector(dict(spec, "selector"))
	if err != nil {
		return nil, false
	}
	if !some || !s.MatchesTree(labels) {
		errs.Add(field.Invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`"))
	}
	return errs, true
}

// selectorKept checks that a workload keeps its selector for life.
func selectorKept(obj, old map[string]any) field.ErrorList {
	s := dict(dict(obj, "spec"), "selector")
	if object.Equal(s, dict(dict(old, "spec"), "selector")) {
		return nil
	}
	var now any = printSelector(s)
	if s == nil {
		now = nil
	}
	return field.ErrorList{field.Invalid("spec.selector", now, immutable)}
}

// countsWithin checks that none of some counts is greater than replicas.
func countsWithin(status map[string]any, counts ...string) field.ErrorList {
	var errs field.ErrorList
	all, _ := num(status, "replicas")
	for _, name := range counts {
		if n, _ := num(status, name); n > all {
			errs.Add(field.Invalid(field.Path("status").Child(name), n, "cannot be greater than status.replicas"))
		}
	}
	return errs
}

func readyWithin(status map[string]any, name string) field.ErrorList {
	ready, _ := num(status, "readyReplicas")
	if n, _ := num(status, "availableReplicas"); n > ready {
		return field.ErrorList{field.Invalid("status.availableReplicas", n, "cannot be greater than "+name)}
	}
	return nil
}

func collisionsKept(status, was map[string]any) field.ErrorList {
	n, _ := num(status, "collisionCount")
	if before, ok := num(was, "collisionCount"); ok && n < before {
		return field.ErrorList{field.Invalid("status.collisionCount", n, "cannot be decremented")}
	}
	return nil
}

// withoutKeys is a shallow copy that lacks some keys.
func withoutKeys(m map[string]any, keys ...string) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	for _, k := range keys {
		delete(out, k)
	}
	return out
}
