// Package autoscaling has the strategy of HorizontalPodAutoscalers, which are stored as
// autoscaling/v2, and their conversion from and to autoscaling/v1.
package autoscaling

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// HorizontalPodAutoscaler is the strategy of HorizontalPodAutoscalers. They have two versions: v1
// has a CPU target only, v2 any number of metrics.
var HorizontalPodAutoscaler = strategy.Strategy{
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		tree.Default(spec, "minReplicas", int64(1))
		if tree.Text(obj, "apiVersion") != "autoscaling/v2" {
			AutoscalerToV2(obj) // the form with all metrics, and with the default one
			AutoscalerToV1(obj)
			return
		}
		dropAnnotations(obj)
		if len(tree.List(spec, "metrics")) == 0 {
			spec["metrics"] = []any{map[string]any{"type": "Resource", "resource": map[string]any{
				"name": "cpu", "target": map[string]any{"type": "Utilization", "averageUtilization": int64(80)},
			}}}
		}
		if behavior := tree.Object(spec, "behavior"); behavior != nil {
			up, down := tree.Make(behavior, "scaleUp"), tree.Make(behavior, "scaleDown")
			tree.Default(up, "stabilizationWindowSeconds", int64(0))
			defaultScaling(up, scalingPolicy("Pods", 4), scalingPolicy("Percent", 100))
			defaultScaling(down, scalingPolicy("Percent", 100))
		}
	},
	PrepareCreate: func(_ *strategy.Context, obj map[string]any) {
		keepNotes(obj, map[string]any{}, currentMetrics, currentConditions)
	},
	PrepareUpdate: func(_ *strategy.Context, obj, old map[string]any) {
		keepNotes(obj, old, currentMetrics, currentConditions)
	},
	PrepareStatus:  func(_ *strategy.Context, obj, old map[string]any) { keepNotes(obj, old, otherMetrics, behaviorSpec) },
	Validate:       func(obj map[string]any) field.ErrorList { return validateAutoscaler(obj, nil) },
	ValidateUpdate: validateAutoscaler,
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		return rule.NotNegative(tree.Object(obj, "status"), "status", "currentReplicas", "desiredReplicas")
	},
}

func scalingPolicy(kind string, value int64) map[string]any {
	return map[string]any{"type": kind, "value": value, "periodSeconds": int64(15)}
}

func defaultScaling(rules map[string]any, policies ...any) {
	tree.DefaultNil(rules, "selectPolicy", "Max")
	if rules["policies"] == nil {
		rules["policies"] = policies
	}
}

// validateAutoscaler checks a spec in v2, to which both versions are converted. old is nil for a
// new object.
func validateAutoscaler(obj, old map[string]any) field.ErrorList {
	newer := func(obj map[string]any) map[string]any {
		if obj == nil {
			return nil
		}
		if tree.Text(obj, "apiVersion") != "autoscaling/v2" {
			obj = object.DeepCopy(obj)
			AutoscalerToV2(obj)
		}
		return tree.Object(obj, "spec")
	}
	const at = field.Path("spec")
	spec := newer(obj)
	errs := replicaBounds.Check(spec, at)
	low, hasLow := tree.Int(spec, "minReplicas")
	high, _ := tree.Int(spec, "maxReplicas")
	if hasLow && high < low {
		errs.Add(field.Invalid(at.Child("maxReplicas"), high, "must be greater than or equal to `minReplicas`"))
	}
	ref, was := tree.Object(spec, "scaleTargetRef"), tree.Object(newer(old), "scaleTargetRef")
	errs.Add(objectReference.Check(ref, at.Child("scaleTargetRef"))...)
	if was == nil || ref["apiVersion"] != was["apiVersion"] || ref["kind"] != was["kind"] {
		errs.Add(validateReferred(ref, at.Child("scaleTargetRef"), ref["kind"] == "ReplicationController")...)
	}
	errs.Add(metrics.Check(spec, at)...)
	outside := func(m map[string]any) bool { return m["type"] == "Object" || m["type"] == "External" }
	if hasLow && low == 0 && !slices.ContainsFunc(tree.Objects(spec, "metrics"), outside) {
		errs.Add(field.Forbidden(at.Child("metrics"),
			"must specify at least one Object or External metric to support scaling to zero replicas"))
	}
	return append(errs, behavior.Check(spec, at)...)
}

var replicaBounds = rule.Fields{
	{Key: "minReplicas", Is: rule.All{rule.IfSet{}, rule.AtLeast{Min: 1, Detail: "must be greater than or equal to 1"}}},
	{Key: "maxReplicas", Is: rule.Func(func(v any, at field.Path) field.ErrorList {
		switch n, _ := v.(int64); {
		case n == 0:
			return field.ErrorList{field.Required(at, "must be set and greater than 0")}
		case n < 0:
			return field.ErrorList{field.Invalid(at, n, "must be greater than or equal to 1")}
		}
		return nil
	})},
}

var objectReference = rule.Fields{
	{Key: "kind", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.PathSegment)}},
}

// validateReferred checks the apiVersion of a scaled or measured object.
func validateReferred(ref map[string]any, at field.Path, core bool) field.ErrorList {
	version := tree.Text(ref, "apiVersion")
	group, _, grouped := strings.Cut(version, "/")
	switch {
	case strings.Count(version, "/") > 1:
		return field.ErrorList{field.Invalid(at.Child("apiVersion"), version, "unexpected GroupVersion string: "+version)}
	case !core && (!grouped || group == ""):
		return field.ErrorList{field.Invalid(at.Child("apiVersion"), version, "apiVersion must specify API group")}
	}
	return nil
}

var metrics = rule.Fields{
	{Key: "metrics", Is: rule.Each{Is: rule.Object(validateMetric)}},
}

var behavior = rule.Fields{
	{Key: "behavior", Is: rule.Fields{
		{Key: "scaleUp", Is: rule.All{rule.IfSet{}, scalingPolicies}},
		{Key: "scaleDown", Is: rule.All{rule.IfSet{}, scalingPolicies}},
	}},
}

var scalingPolicies = rule.Fields{
	{Key: "stabilizationWindowSeconds", Is: rule.All{
		rule.IfSet{},
		rule.AtLeast{Min: 0, Detail: "must be greater than or equal to zero"},
		rule.AtMost{Max: 3600, Detail: "must be less than or equal to 3600"},
	}},
	{Key: "selectPolicy", Is: rule.All{rule.IfSet{}, rule.OneOf{"Disabled", "Max", "Min"}}},
	{Key: "policies", Is: rule.All{rule.Required{Detail: "must specify at least one Policy"}, rule.Each{Is: rule.Fields{
		{Key: "type", Is: rule.OneOf{"Percent", "Pods"}},
		{Key: "value", Is: rule.AtLeast{Min: 1, Detail: "must be greater than zero"}},
		{Key: "periodSeconds", Is: rule.All{
			rule.AtLeast{Min: 1, Detail: "must be greater than zero"},
			rule.AtMost{Max: 1800, Detail: "must be less than or equal to 1800"},
		}},
	}}}},
	{Key: "tolerance", Is: rule.Func(func(v any, at field.Path) field.ErrorList {
		if valid.Negative(v) {
			return field.ErrorList{field.Invalid(at, v, rule.MustNotBeNegative)}
		}
		return nil
	})},
}

// metricSources are the sources of metrics, by the field they are in.
var metricSources = map[string]rule.Fields{
	"object": {
		{Key: "describedObject", Is: objectReference},
		{Is: rule.Object(func(m map[string]any, at field.Path) field.ErrorList {
			return validateReferred(tree.Object(m, "describedObject"), at.Child("describedObject"), true)
		})},
		metricName,
		{Key: "target", Is: metricTarget},
		{Key: "target", Is: oneOfTwo("value", "averageValue", "must set either a target value or averageValue", "")},
	},
	"external": {
		metricName,
		{Key: "target", Is: metricTarget},
		{Key: "target", Is: oneOfTwo("value", "averageValue", "must set either a target value for metric or a per-pod target",
			"may not set both a target value for metric and a per-pod target")},
	},
	"pods": {
		metricName,
		{Key: "target", Is: metricTarget},
		{Key: "target", Is: rule.Fields{
			{Key: "averageValue", Is: rule.Present{Detail: "must specify a positive target averageValue"}},
		}},
	},
	"resource": {
		{Key: "name", Is: rule.Required{Detail: "must specify a resource name"}},
		{Key: "target", Is: metricTarget},
		{Key: "target", Is: oneOfTwo("averageValue", "averageUtilization",
			"must set either a target raw value or a target utilization",
			"may not set both a target raw value and a target utilization")},
	},
	"containerResource": {
		{Key: "name", Is: rule.All{
			rule.Required{Detail: "must specify a resource name"},
			rule.Func(func(v any, at field.Path) field.ErrorList {
				name, _ := v.(string)
				return valid.Resource(name, at)
			}),
		}},
		{Key: "container", Is: rule.All{rule.Required{Detail: "must specify a container"}, rule.Form(syntax.Label)}},
		{Key: "target", Is: metricTarget},
		{Key: "target", Is: oneOfTwo("averageValue", "averageUtilization",
			"must set either a target raw value or a target utilization",
			"may not set both a target raw value and a target utilization")},
	},
}

var metricName = rule.Field{Key: "metric", Is: rule.Fields{
	{Key: "name", Is: rule.All{rule.Required{Detail: "must specify a metric name"}, rule.Form(syntax.PathSegment)}},
}}

// oneOfTwo checks that a target has exactly one of two fields: the second is reported as required,
// the first as forbidden.
func oneOfTwo(first, second, none, both string) rule.Func {
	return func(v any, at field.Path) field.ErrorList {
		a, b := tree.Map(v)[first], tree.Map(v)[second]
		switch {
		case a == nil && b == nil:
			return field.ErrorList{field.Required(at.Child(second), none)}
		case a != nil && b != nil && both != "":
			return field.ErrorList{field.Forbidden(at.Child(first), both)}
		}
		return nil
	}
}

var metricTarget = rule.Fields{
	{Key: "type", Is: rule.Func(func(v any, at field.Path) field.ErrorList {
		var errs field.ErrorList
		kind, _ := v.(string)
		if kind == "" {
			errs.Add(field.Required(at, "must specify a metric target type"))
		}
		if kind != "Utilization" && kind != "Value" && kind != "AverageValue" {
			errs.Add(field.Invalid(at, kind, "must be either Utilization, Value, or AverageValue"))
		}
		return errs
	})},
	{Key: "value", Is: rule.All{rule.IfSet{}, rule.Func(validatePositive)}},
	{Key: "averageValue", Is: rule.All{rule.IfSet{}, rule.Func(validatePositive)}},
	{Key: "averageUtilization", Is: rule.All{rule.IfSet{}, rule.AtLeast{Min: 1, Detail: "must be greater than 0"}}},
}

func validatePositive(v any, at field.Path) field.ErrorList {
	if !valid.Positive(v) {
		return field.ErrorList{field.Invalid(at, v, "must be positive")}
	}
	return nil
}

// metricFields are the fields that describe metrics, by type.
var metricFields = map[string]string{
	"Resource": "resource", "ContainerResource": "containerResource", "Pods": "pods", "Object": "object",
	"External": "external",
}

func validateMetric(m map[string]any, at field.Path) field.ErrorList {
	kind := tree.Text(m, "type")
	want := metricFields[kind]
	unknown := field.NotSupported(at.Child("type"), kind, "ContainerResource", "External", "Object", "Pods", "Resource")
	var errs field.ErrorList
	if kind == "" {
		errs.Add(field.Required(at.Child("type"), "must specify a metric source type"))
	}
	if want == "" {
		errs.Add(unknown)
	}
	var others []string
	n := 0
	for _, key := range []string{"object", "external", "pods", "resource", "containerResource"} {
		if m[key] == nil {
			continue
		}
		if n++; n == 1 {
			errs.Add(metricSources[key].Check(tree.Object(m, key), at.Child(key))...)
		}
		if key != want {
			others = append(others, key)
		}
	}
	switch {
	case want == "":
		errs.Add(unknown)
	case m[want] == nil:
		errs.Add(field.Required(at.Child(want), "must populate information for the given metric source"))
	}
	if n > 1 {
		for _, key := range others {
			errs.Add(field.Forbidden(at.Child(key), "must populate the given metric source only"))
		}
	}
	return errs
}
