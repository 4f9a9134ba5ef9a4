package kinds

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
)

// Where a pod may go: affinity, topology and tolerations.

const (
	requiredTerms  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution"
)

func validateAffinity(affinity map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if node, at := dict(affinity, "nodeAffinity"), at.Child("nodeAffinity"); node != nil {
		if s := dict(node, requiredTerms); s != nil {
			errs.Add(validateNodeSelector(s, at.Child(requiredTerms))...)
		}
		for i, term := range entries(node, preferredTerms) {
			at := at.Child(preferredTerms).Index(i)
			errs.Add(validateWeight(term, at)...)
			errs.Add(validateNodeTerm(dict(term, "preference"), at.Child("preference"), false)...)
		}
	}
	for _, name := range []string{"podAffinity", "podAntiAffinity"} {
		for i, term := range entries(dict(affinity, name), requiredTerms) {
			errs.Add(validatePodTerm(term, at.Child(name, requiredTerms).Index(i))...)
		}
		for i, term := range entries(dict(affinity, name), preferredTerms) {
			at := at.Child(name, preferredTerms).Index(i)
			errs.Add(validateWeight(term, at)...)
			errs.Add(validatePodTerm(dict(term, "podAffinityTerm"), at.Child("podAffinityTerm"))...)
		}
	}
	return errs
}

func validateWeight(term map[string]any, at field.Path) field.ErrorList {
	if n, _ := num(term, "weight"); n < 1 || n > 100 {
		return field.ErrorList{field.Invalid(at.Child("weight"), n, "must be in the range 1-100")}
	}
	return nil
}

// validateNodeSelector checks terms of which a node must meet one.
func validateNodeSelector(s map[string]any, at field.Path) field.ErrorList {
	at = at.Child("nodeSelectorTerms")
	terms := entries(s, "nodeSelectorTerms")
	if len(terms) == 0 {
		return field.ErrorList{field.Required(at, "must have at least one node selector term")}
	}
	var errs field.ErrorList
	for i, term := range terms {
		errs.Add(validateNodeTerm(term, at.Index(i), true)...)
	}
	return errs
}

func validateNodeTerm(term map[string]any, at field.Path, strict bool) field.ErrorList {
	var errs field.ErrorList
	for i, e := range entries(term, "matchExpressions") {
		at := at.Child("matchExpressions").Index(i)
		switch str(e, "operator") {
		case "Gt", "Lt":
			if len(strs(e, "values")) != 1 {
				errs.Add(field.Required(at.Child("values"), "must be specified single value when `operator` is 'Lt' or 'Gt'"))
			}
			errs.Add(validateExpressionParts(e, at, strict)...)
		default:
			errs.Add(validateExpression(e, at, strict)...)
		}
	}
	for i, e := range entries(term, "matchFields") {
		at, values, key := at.Child("matchFields").Index(i), strs(e, "values"), str(e, "key")
		switch op := str(e, "operator"); op {
		case "In", "NotIn":
			if len(values) != 1 {
				errs.Add(field.Required(at.Child("values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
			}
		default:
			errs.Add(field.Invalid(at.Child("operator"), op, "not a valid selector operator"))
		}
		if key != "metadata.name" {
			errs.Add(field.Invalid(at.Child("key"), key, "not a valid field selector key"))
			continue
		}
		for j, v := range values {
			errs.Add(rule.Invalid(at.Child("values").Index(j), v, syntax.Subdomain(v))...)
		}
	}
	return errs
}

func validatePodTerm(term map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range []string{"labelSelector", "namespaceSelector"} {
		if s := dict(term, name); s != nil {
			errs.Add(validateLabelSelector(s, at.Child(name))...)
		}
	}
	for _, name := range strs(term, "namespaces") {
		errs.Add(rule.Invalid(at.Child("namespace"), name, syntax.Label(name))...)
	}
	errs.Add(validateMatchKeys(term, at)...)
	key := str(term, "topologyKey")
	if key == "" {
		errs.Add(field.Required(at.Child("topologyKey"), "can not be empty"))
	}
	return append(errs, rule.Invalid(at.Child("topologyKey"), key, syntax.LabelKey(key))...)
}

// validateMatchKeys checks the labels of which the pod's own values are taken.
func validateMatchKeys(m map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	s := dict(m, "labelSelector")
	match, mismatch := strs(m, "matchLabelKeys"), strs(m, "mismatchLabelKeys")
	for _, name := range []string{"matchLabelKeys", "mismatchLabelKeys"} {
		keys := strs(m, name)
		if len(keys) > 0 && s == nil {
			errs.Add(field.Forbidden(at.Child(name), "must not be specified when labelSelector is not set"))
			continue
		}
		for i, key := range keys {
			errs.Add(rule.Invalid(at.Child(name).Index(i), key, syntax.LabelKey(key))...)
		}
	}
	matched, mismatched, selected := setOf(match), setOf(mismatch), map[string]bool{}
	for key := range dict(s, "matchLabels") {
		selected[key] = true
	}
	for _, e := range entries(s, "matchExpressions") {
		key := str(e, "key")
		if matched[key] && selected[key] {
			errs.Add(field.Invalid(at.Index(slices.Index(match, key)), key, "exists in both matchLabelKeys and labelSelector"))
		}
		selected[key] = true
	}
	for i, key := range match {
		if mismatched[key] {
			errs.Add(field.Invalid(at.Child("matchLabelKeys").Index(i), key, "exists in both matchLabelKeys and mismatchLabelKeys"))
		}
	}
	return errs
}

// applyMatchKeys adds to the selectors of a new pod the values that it has for
// their match keys.
func applyMatchKeys(obj map[string]any) {
	spec, labels := dict(obj, "spec"), dict(dict(obj, "metadata"), "labels")
	terms := entries(spec, "topologySpreadConstraints")
	for _, name := range []string{"podAffinity", "podAntiAffinity"} {
		affinity := dict(dict(spec, "affinity"), name)
		terms = append(terms, entries(affinity, requiredTerms)...)
		for _, term := range entries(affinity, preferredTerms) {
			terms = append(terms, dict(term, "podAffinityTerm"))
		}
	}
	for _, term := range terms {
		s := dict(term, "labelSelector")
		for _, by := range [][2]string{{"matchLabelKeys", "In"}, {"mismatchLabelKeys", "NotIn"}} {
			for _, key := range strs(term, by[0]) {
				if value, ok := labels[key]; ok && s != nil {
					s["matchExpressions"] = append(list(s, "matchExpressions"), map[string]any{"key": key, "operator": by[1], "values": []any{value}})
				}
			}
		}
	}
}

func validateSpread(spec map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	const positive = "must be greater than zero"
	all := entries(spec, "topologySpreadConstraints")
	left := map[[2]string]int{} // how many there are of each from here on
	for _, c := range all {
		left[[2]string{str(c, "topologyKey"), str(c, "whenUnsatisfiable")}]++
	}
	for i, c := range all {
		at := at.Child("topologySpreadConstraints").Index(i)
		if n, _ := num(c, "maxSkew"); n <= 0 {
			errs.Add(field.Invalid(at.Child("maxSkew"), n, positive))
		}
		key, action := str(c, "topologyKey"), str(c, "whenUnsatisfiable")
		if key == "" {
			errs.Add(field.Required(at.Child("topologyKey"), "can not be empty"))
		}
		if action != "DoNotSchedule" && action != "ScheduleAnyway" {
			errs.Add(field.NotSupported(at.Child("whenUnsatisfiable"), action, "DoNotSchedule", "ScheduleAnyway"))
		}
		if left[[2]string{key, action}]--; left[[2]string{key, action}] > 0 {
			errs.Add(field.Duplicate(at.Child("{topologyKey, whenUnsatisfiable}"), "{"+key+", "+action+"}"))
		}
		if n, ok := num(c, "minDomains"); ok {
			if n <= 0 {
				errs.Add(field.Invalid(at.Child("minDomains"), n, positive))
			}
			if action != "DoNotSchedule" {
				errs.Add(field.Invalid(at.Child("minDomains"), n, "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not "+action))
			}
		}
		errs.Add(spreadRules.Check(c, at)...)
		errs.Add(validateMatchKeys(c, at)...)
		if s := dict(c, "labelSelector"); s != nil {
			errs.Add(validateLabelSelector(s, at.Child("labelSelector"))...)
		}
	}
	return errs
}

var spreadRules = rule.Fields{
	{Key: "nodeAffinityPolicy", Is: rule.All{rule.IfSet{}, rule.OneOf{"Honor", "Ignore"}}},
	{Key: "nodeTaintsPolicy", Is: rule.All{rule.IfSet{}, rule.OneOf{"Honor", "Ignore"}}},
}

func validateTolerations(spec map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, t := range entries(spec, "tolerations") {
		errs.Add(validateToleration(t, at.Child("tolerations").Index(i))...)
	}
	return errs
}

func validateToleration(t map[string]any, at field.Path) field.ErrorList {
	errs := tolerationRules.Check(t, at)
	key, value, effect, op := str(t, "key"), str(t, "value"), str(t, "effect"), str(t, "operator")
	if key == "" && op != "Exists" {
		errs.Add(field.Invalid(at.Child("operator"), op, "operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
	}
	if t["tolerationSeconds"] != nil && effect != "NoExecute" {
		errs.Add(field.Invalid(at.Child("effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
	}
	switch op {
	case "", "Equal":
		if wrong := syntax.LabelValue(value); wrong != nil {
			errs.Add(field.Invalid(at.Child("operator"), value, strings.Join(wrong, ";")))
		}
	case "Exists":
		if value != "" {
			errs.Add(field.Invalid(at.Child("operator"), value, "value must be empty when `operator` is 'Exists'"))
		}
	case "Lt", "Gt":
		errs.Add(field.NotSupported(at.Child("operator"), op, "Equal", "Exists", "Lt", "Gt"))
	default:
		errs.Add(field.NotSupported(at.Child("operator"), op, "Equal", "Exists"))
	}
	if effect != "" {
		errs.Add(oneOf(t, at, "effect", "NoSchedule", "PreferNoSchedule", "NoExecute")...)
	}
	return errs
}

var tolerationRules = rule.Fields{
	{Key: "key", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.LabelKey)}},
}
