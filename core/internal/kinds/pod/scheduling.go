package pod

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

const preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution"

func validateAffinity(affinity map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if node, at := tree.Object(affinity, "nodeAffinity"), at.Child("nodeAffinity"); node != nil {
		if s := tree.Object(node, valid.RequiredTerms); s != nil {
			errs.Add(valid.NodeSelector(s, at.Child(valid.RequiredTerms))...)
		}
		for i, term := range tree.Objects(node, preferredTerms) {
			at := at.Child(preferredTerms).Index(i)
			errs.Add(validateWeight(term, at)...)
			errs.Add(valid.NodeSelectorTerm(tree.Object(term, "preference"), at.Child("preference"), false)...)
		}
	}
	for _, name := range []string{"podAffinity", "podAntiAffinity"} {
		for i, term := range tree.Objects(tree.Object(affinity, name), valid.RequiredTerms) {
			errs.Add(validatePodTerm(term, at.Child(name, valid.RequiredTerms).Index(i))...)
		}
		for i, term := range tree.Objects(tree.Object(affinity, name), preferredTerms) {
			at := at.Child(name, preferredTerms).Index(i)
			errs.Add(validateWeight(term, at)...)
			errs.Add(validatePodTerm(tree.Object(term, "podAffinityTerm"), at.Child("podAffinityTerm"))...)
		}
	}
	return errs
}

func validateWeight(term map[string]any, at field.Path) field.ErrorList {
	if n, _ := tree.Int(term, "weight"); n < 1 || n > 100 {
		return field.ErrorList{field.Invalid(at.Child("weight"), n, "must be in the range 1-100")}
	}
	return nil
}

func validatePodTerm(term map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range []string{"labelSelector", "namespaceSelector"} {
		if s := tree.Object(term, name); s != nil {
			errs.Add(valid.LabelSelector(s, at.Child(name))...)
		}
	}
	for _, name := range tree.Texts(term, "namespaces") {
		errs.Add(rule.Invalid(at.Child("namespace"), name, syntax.Label(name))...)
	}
	errs.Add(validateMatchKeys(term, at)...)
	key := tree.Text(term, "topologyKey")
	if key == "" {
		errs.Add(field.Required(at.Child("topologyKey"), "can not be empty"))
	}
	return append(errs, rule.Invalid(at.Child("topologyKey"), key, syntax.LabelKey(key))...)
}

// validateMatchKeys returns the violations of matchLabelKeys and mismatchLabelKeys.
func validateMatchKeys(m map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	s := tree.Object(m, "labelSelector")
	match, mismatch := tree.Texts(m, "matchLabelKeys"), tree.Texts(m, "mismatchLabelKeys")
	for _, name := range []string{"matchLabelKeys", "mismatchLabelKeys"} {
		keys := tree.Texts(m, name)
		if len(keys) > 0 && s == nil {
			errs.Add(field.Forbidden(at.Child(name), "must not be specified when labelSelector is not set"))
			continue
		}
		for i, key := range keys {
			errs.Add(rule.Invalid(at.Child(name).Index(i), key, syntax.LabelKey(key))...)
		}
	}
	matched, mismatched, selected := tree.SetOf(match), tree.SetOf(mismatch), map[string]bool{}
	for key := range tree.Object(s, "matchLabels") {
		selected[key] = true
	}
	for _, e := range tree.Objects(s, "matchExpressions") {
		key := tree.Text(e, "key")
		if matched[key] && selected[key] {
			errs.Add(field.Invalid(at.Index(slices.Index(match, key)), key, "exists in both matchLabelKeys and labelSelector"))
		}
		selected[key] = true
	}
	for i, key := range match {
		if mismatched[key] {
			errs.Add(field.Invalid(at.Child("matchLabelKeys").Index(i), key,
				"exists in both matchLabelKeys and mismatchLabelKeys"))
		}
	}
	return errs
}

// applyMatchKeys adds the values of a new pod's match keys to its selectors.
func applyMatchKeys(obj map[string]any) {
	spec, labels := tree.Object(obj, "spec"), tree.Object(tree.Object(obj, "metadata"), "labels")
	terms := tree.Objects(spec, "topologySpreadConstraints")
	for _, name := range []string{"podAffinity", "podAntiAffinity"} {
		affinity := tree.Object(tree.Object(spec, "affinity"), name)
		terms = append(terms, tree.Objects(affinity, valid.RequiredTerms)...)
		for _, term := range tree.Objects(affinity, preferredTerms) {
			terms = append(terms, tree.Object(term, "podAffinityTerm"))
		}
	}
	for _, term := range terms {
		s := tree.Object(term, "labelSelector")
		for _, keys := range [][2]string{{"matchLabelKeys", "In"}, {"mismatchLabelKeys", "NotIn"}} {
			for _, key := range tree.Texts(term, keys[0]) {
				if value, ok := labels[key]; ok && s != nil {
					s["matchExpressions"] = append(tree.List(s, "matchExpressions"),
						map[string]any{"key": key, "operator": keys[1], "values": []any{value}})
				}
			}
		}
	}
}

func validateSpread(spec map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	const positive = "must be greater than zero"
	all := tree.Objects(spec, "topologySpreadConstraints")
	left := map[[2]string]int{} // how many there are of each from here on
	for _, c := range all {
		left[[2]string{tree.Text(c, "topologyKey"), tree.Text(c, "whenUnsatisfiable")}]++
	}
	for i, c := range all {
		at := at.Child("topologySpreadConstraints").Index(i)
		if n, _ := tree.Int(c, "maxSkew"); n <= 0 {
			errs.Add(field.Invalid(at.Child("maxSkew"), n, positive))
		}
		key, action := tree.Text(c, "topologyKey"), tree.Text(c, "whenUnsatisfiable")
		if key == "" {
			errs.Add(field.Required(at.Child("topologyKey"), "can not be empty"))
		}
		if action != "DoNotSchedule" && action != "ScheduleAnyway" {
			errs.Add(field.NotSupported(at.Child("whenUnsatisfiable"), action, "DoNotSchedule", "ScheduleAnyway"))
		}
		if left[[2]string{key, action}]--; left[[2]string{key, action}] > 0 {
			errs.Add(field.Duplicate(at.Child("{topologyKey, whenUnsatisfiable}"), "{"+key+", "+action+"}"))
		}
		if n, ok := tree.Int(c, "minDomains"); ok {
			if n <= 0 {
				errs.Add(field.Invalid(at.Child("minDomains"), n, positive))
			}
			if action != "DoNotSchedule" {
				errs.Add(field.Invalid(at.Child("minDomains"), n,
					"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not "+action))
			}
		}
		errs.Add(spreadRules.Check(c, at)...)
		errs.Add(validateMatchKeys(c, at)...)
		if s := tree.Object(c, "labelSelector"); s != nil {
			errs.Add(valid.LabelSelector(s, at.Child("labelSelector"))...)
		}
	}
	return errs
}

var spreadRules = rule.Fields{
	{Key: "nodeAffinityPolicy", Is: rule.All{rule.IfSet{}, rule.Enum(enum.NodeInclusionPolicy)}},
	{Key: "nodeTaintsPolicy", Is: rule.All{rule.IfSet{}, rule.Enum(enum.NodeInclusionPolicy)}},
}

func validateTolerations(spec map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, t := range tree.Objects(spec, "tolerations") {
		errs.Add(valid.Toleration(t, at.Child("tolerations").Index(i))...)
	}
	return errs
}
