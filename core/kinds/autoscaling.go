package kinds

import "github.com/tabernetes/tabernetes/core/field"

// HorizontalPodAutoscalers have two forms: v1 knows the processor only, v2 any
// number of metrics.
var horizontalPodAutoscaler = Rules{
	Default: func(obj map[string]any) {
		spec := sub(obj, "spec")
		def(spec, "minReplicas", int64(1))
		if str(obj, "apiVersion") != "autoscaling/v2" {
			autoscalerToV2(obj) // which tells of all metrics, and knows the default one
			autoscalerToV1(obj)
			return
		}
		if len(list(spec, "metrics")) == 0 {
			spec["metrics"] = []any{map[string]any{"type": "Resource", "resource": map[string]any{
				"name": "cpu", "target": map[string]any{"type": "Utilization", "averageUtilization": int64(80)},
			}}}
		}
		if behavior := dict(spec, "behavior"); behavior != nil {
			up, down := sub(behavior, "scaleUp"), sub(behavior, "scaleDown")
			def(up, "stabilizationWindowSeconds", int64(0))
			defaultScaling(up, scalingPolicy("Pods", 4), scalingPolicy("Percent", 100))
			defaultScaling(down, scalingPolicy("Percent", 100))
		}
	},
	Validate:       func(obj map[string]any) field.ErrorList { return validateAutoscaler(dict(obj, "spec")) },
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateAutoscaler(dict(obj, "spec")) },
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		return notBelowZero(dict(obj, "status"), "status", "currentReplicas", "desiredReplicas")
	},
}

func scalingPolicy(kind string, value int64) map[string]any {
	return map[string]any{"type": kind, "value": value, "periodSeconds": int64(15)}
}

func defaultScaling(rules map[string]any, policies ...any) {
	def(rules, "selectPolicy", "Max")
	if len(list(rules, "policies")) == 0 {
		rules["policies"] = policies
	}
}

func validateAutoscaler(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	low, hasLow := num(spec, "minReplicas")
	high, _ := num(spec, "maxReplicas")
	if hasLow && low < 1 {
		errs.Add(field.Invalid(p.Child("minReplicas"), low, "must be greater than or equal to 1"))
	}
	if high < 1 {
		errs.Add(field.Required(p.Child("maxReplicas"), "must be set and greater than 0"))
	}
	if hasLow && high < low {
		errs.Add(field.Invalid(p.Child("maxReplicas"), high, "must be greater than or equal to `minReplicas`"))
	}
	errs.Add(required(dict(spec, "scaleTargetRef"), p.Child("scaleTargetRef"), "kind", "name")...)
	for i, m := range entries(spec, "metrics") {
		errs.Add(validateMetric(m, p.Child("metrics").Index(i))...)
	}
	return errs
}

// metricFields name the field that describes a metric, by its type.
var metricFields = map[string]string{
	"Resource": "resource", "ContainerResource": "containerResource", "Pods": "pods", "Object": "object", "External": "external",
}

func validateMetric(m map[string]any, at field.Path) field.ErrorList {
	kind := str(m, "type")
	name, known := metricFields[kind]
	switch {
	case kind == "":
		return field.ErrorList{field.Required(at.Child("type"), "must specify a metric source type")}
	case !known:
		return field.ErrorList{field.NotSupported(at.Child("type"), kind, "ContainerResource", "External", "Object", "Pods", "Resource")}
	case m[name] == nil:
		return field.ErrorList{field.Required(at.Child(name), "must populate information for the given metric source")}
	}
	var errs field.ErrorList
	target, at := dict(dict(m, name), "target"), at.Child(name, "target")
	errs.Add(oneOf(target, at, "type", "Utilization", "Value", "AverageValue")...)
	if n, ok := num(target, "averageUtilization"); ok && n < 1 {
		errs.Add(field.Invalid(at.Child("averageUtilization"), n, "must be greater than 0"))
	}
	for _, v := range []string{"value", "averageValue"} {
		if target[v] != nil && !positive(target[v]) {
			errs.Add(field.Invalid(at.Child(v), target[v], "must be positive"))
		}
	}
	return errs
}
