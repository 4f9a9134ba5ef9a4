// Package workload has the strategies of the kinds that create pods: those of the groups apps and
// batch, and ReplicationControllers. Most of the cost of a check is that of the pod template: see
// package pod.
package workload

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/object"
)

// validateRollingUpdate returns the violations of maxUnavailable and maxSurge.
func validateRollingUpdate(rolling map[string]any, at field.Path) field.ErrorList {
	missing, extra := rolling["maxUnavailable"], rolling["maxSurge"]
	errs := valid.CountOrPercent(missing, at.Child("maxUnavailable"))
	errs.Add(valid.CountOrPercent(extra, at.Child("maxSurge"))...)
	if n, _ := valid.ParseCount(missing); n == 0 {
		if n, _ := valid.ParseCount(extra); n == 0 {
			errs.Add(field.Invalid(at.Child("maxUnavailable"), missing, "may not be 0 when `maxSurge` is 0"))
		}
	}
	return append(errs, valid.AtMost100Percent(missing, at.Child("maxUnavailable"))...)
}

// validateSelectorOf returns the violations of the selector of a workload.
func validateSelectorOf(spec map[string]any, kind string) field.ErrorList {
	at := field.Path("spec.selector")
	s := tree.Object(spec, "selector")
	if s == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	errs := valid.LabelSelector(s, at)
	if len(tree.Object(s, "matchLabels"))+len(tree.List(s, "matchExpressions")) == 0 {
		errs.Add(field.Invalid(at, valid.PrintSelector(s), "empty selector is invalid for "+kind))
	}
	return errs
}

// validateTemplateOf returns the violations of the template of a workload whose pods are always
// restarted; its selector must match the template.
func validateTemplateOf(spec map[string]any, kind string) field.ErrorList {
	errs, ok := validateSelects(spec)
	if !ok {
		shown := valid.PrintSelector(tree.Object(spec, "selector"))
		return field.ErrorList{field.Invalid("spec.selector", shown, "invalid label selector")}
	}
	template := tree.Object(spec, "template")
	errs.Add(pod.ValidateTemplate(template, "spec.template")...)
	return append(errs, validateRunsForever(template, kind)...)
}

// validateRunsForever returns the violations of a template whose pods must always be restarted.
func validateRunsForever(template map[string]any, kind string) field.ErrorList {
	var errs field.ErrorList
	spec, at := tree.Object(template, "spec"), field.Path("spec.template.spec")
	if policy := tree.Text(spec, "restartPolicy"); policy != "Always" {
		errs.Add(field.NotSupported(at.Child("restartPolicy"), policy, "Always"))
	}
	if spec["activeDeadlineSeconds"] != nil {
		errs.Add(field.Forbidden(at.Child("activeDeadlineSeconds"), "activeDeadlineSeconds in "+kind+" is not Supported"))
	}
	return errs
}

// validateSelects returns the violation of a selector that is missing or does not match the labels
// of its template. ok is false if the selector is invalid.
func validateSelects(spec map[string]any) (errs field.ErrorList, ok bool) {
	labels := tree.At(spec, "template.metadata.labels")
	s, some, err := selector.FromLabelSelector(tree.Object(spec, "selector"))
	if err != nil {
		return nil, false
	}
	if !some || !s.MatchesTree(labels) {
		shown := tree.Value(spec, "template.metadata.labels")
		errs.Add(field.Invalid("spec.template.metadata.labels", shown, "`selector` does not match template `labels`"))
	}
	return errs, true
}

// immutableSelector returns the violation of a changed selector.
func immutableSelector(obj, old map[string]any) field.ErrorList {
	s := tree.Object(tree.Object(obj, "spec"), "selector")
	if object.Equal(s, tree.Object(tree.Object(old, "spec"), "selector")) {
		return nil
	}
	var now any = valid.PrintSelector(s)
	if s == nil {
		now = nil
	}
	return field.ErrorList{field.Invalid("spec.selector", now, rule.FieldImmutable)}
}

// countsWithin returns the violations of counts that exceed that of replicas.
func countsWithin(status map[string]any, counts ...string) field.ErrorList {
	var errs field.ErrorList
	all, _ := tree.Int(status, "replicas")
	for _, name := range counts {
		if n, _ := tree.Int(status, name); n > all {
			errs.Add(field.Invalid(field.Path("status").Child(name), n, "cannot be greater than status.replicas"))
		}
	}
	return errs
}

// readyWithin returns the violation of more available replicas than ready ones.
func readyWithin(status map[string]any, name string) field.ErrorList {
	ready, _ := tree.Int(status, "readyReplicas")
	if n, _ := tree.Int(status, "availableReplicas"); n > ready {
		return field.ErrorList{field.Invalid("status.availableReplicas", n, "cannot be greater than "+name)}
	}
	return nil
}

// collisionsNotDecreased returns the violation of a decreased count of collisions.
func collisionsNotDecreased(status, was map[string]any) field.ErrorList {
	n, _ := tree.Int(status, "collisionCount")
	if before, ok := tree.Int(was, "collisionCount"); ok && n < before {
		return field.ErrorList{field.Invalid("status.collisionCount", n, "cannot be decremented")}
	}
	return nil
}
