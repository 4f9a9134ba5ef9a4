package workload

import (
	"strconv"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// DaemonSet is the strategy of DaemonSets.
var DaemonSet = strategy.Strategy{
	Default: func(obj map[string]any) {
		// The field always exists where it is a number: clients own its zero.
		if annotations := tree.Make(object.Meta(obj), "annotations"); annotations[templateGeneration] == nil {
			setTemplateGeneration(obj, 0)
		}
		spec := tree.Make(obj, "spec")
		pod.DefaultTemplate(tree.Make(spec, "template"))
		tree.Default(spec, "revisionHistoryLimit", int64(10))
		strategy := tree.Make(spec, "updateStrategy")
		tree.Default(strategy, "type", "RollingUpdate")
		if tree.Text(strategy, "type") == "RollingUpdate" {
			rolling := tree.Make(strategy, "rollingUpdate")
			tree.DefaultNil(rolling, "maxUnavailable", int64(1))
			tree.DefaultNil(rolling, "maxSurge", int64(0))
		}
	},
	// The real server has the number in a field.
	Read: func(obj map[string]any) error {
		if text, ok := tree.Object(object.Meta(obj), "annotations")[templateGeneration].(string); ok {
			_, err := strconv.ParseInt(text, 10, 64)
			return err
		}
		return nil
	},
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		setTemplateGeneration(obj, max(1, templateGenerationOf(obj)))
		warnTemplate(c, obj)
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		n := templateGenerationOf(old)
		pod.DropDisabledFields(tree.At(obj, "spec.template.spec"))
		if !object.Equal(tree.Object(obj, "spec")["template"], tree.Object(old, "spec")["template"]) {
			warnTemplate(c, obj)
			n++
		}
		setTemplateGeneration(obj, n)
	},
	PrepareStatus: func(_ *strategy.Context, obj, old map[string]any) {
		setTemplateGeneration(obj, templateGenerationOf(old))
	},
	Validate: func(obj map[string]any) field.ErrorList { return validateDaemonSet(tree.Object(obj, "spec")) },
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return append(immutableSelector(obj, old), validateDaemonSet(tree.Object(obj, "spec"))...)
	},
	ValidateStatus: func(obj, old map[string]any) field.ErrorList {
		status := tree.Object(obj, "status")
		errs := rule.NotNegative(status, "status", "currentNumberScheduled", "numberMisscheduled",
			"desiredNumberScheduled", "numberReady", "observedGeneration", "updatedNumberScheduled",
			"numberAvailable", "numberUnavailable", "collisionCount")
		return append(errs, collisionsNotDecreased(status, tree.Object(old, "status"))...)
	},
}

// templateGeneration is the annotation with the number of changes of a DaemonSet's template.
const templateGeneration = "deprecated.daemonset.template.generation"

func templateGenerationOf(obj map[string]any) int64 {
	n, _ := strconv.ParseInt(tree.Text(tree.Object(object.Meta(obj), "annotations"), templateGeneration), 10, 64)
	return n
}

func setTemplateGeneration(obj map[string]any, n int64) {
	tree.Make(object.Meta(obj), "annotations")[templateGeneration] = strconv.FormatInt(n, 10)
}

func validateDaemonSet(spec map[string]any) field.ErrorList {
	s, template := tree.Object(spec, "selector"), tree.Object(spec, "template")
	errs := valid.LabelSelector(s, "spec.selector")
	selects, _ := validateSelects(spec)
	errs.Add(selects...)
	if s != nil && len(tree.Object(s, "matchLabels"))+len(tree.List(s, "matchExpressions")) == 0 {
		errs.Add(field.Invalid("spec.selector", valid.PrintSelector(s), "empty selector is invalid for daemonset"))
	}
	errs.Add(pod.ValidateTemplate(template, "spec.template")...)
	errs.Add(validateRunsForever(template, "DaemonSet")...)
	errs.Add(rule.NotNegative(spec, "spec", "minReadySeconds")...)
	strategy, at := tree.Object(spec, "updateStrategy"), field.Path("spec.updateStrategy")
	switch rolling := tree.Object(strategy, "rollingUpdate"); tree.Text(strategy, "type") {
	case "OnDelete":
	case "RollingUpdate":
		at := at.Child("rollingUpdate")
		errs.Add(valid.CountOrPercent(rolling["maxUnavailable"], at.Child("maxUnavailable"))...)
		errs.Add(valid.CountOrPercent(rolling["maxSurge"], at.Child("maxSurge"))...)
		errs.Add(valid.AtMost100Percent(rolling["maxUnavailable"], at.Child("maxUnavailable"))...)
		errs.Add(valid.AtMost100Percent(rolling["maxSurge"], at.Child("maxSurge"))...)
		missing, _ := valid.ParseCount(rolling["maxUnavailable"])
		extra, _ := valid.ParseCount(rolling["maxSurge"])
		switch {
		case missing != 0 && extra != 0:
			errs.Add(field.Invalid(at.Child("maxSurge"), rolling["maxSurge"], "may not be set when maxUnavailable is non-zero"))
		case missing == 0 && extra == 0:
			errs.Add(field.Required(at.Child("maxUnavailable"), "cannot be 0 when maxSurge is 0"))
		}
	default:
		shown := shape.DaemonSetUpdateStrategy.Print(strategy)
		errs.Add(field.NotSupported(at, shown, "RollingUpdate", "OnDelete"))
	}
	return append(errs, rule.NotNegative(spec, "spec", "revisionHistoryLimit")...)
}
