package autoscaling

import (
	"encoding/json"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// The annotations for fields of a HorizontalPodAutoscaler that autoscaling/v1 lacks.
const (
	otherMetrics      = "autoscaling.alpha.kubernetes.io/metrics"
	currentMetrics    = "autoscaling.alpha.kubernetes.io/current-metrics"
	currentConditions = "autoscaling.alpha.kubernetes.io/conditions"
	behaviorSpec      = "autoscaling.alpha.kubernetes.io/behavior"
)

var autoscalerAnnotations = []string{otherMetrics, currentMetrics, currentConditions, behaviorSpec,
	"autoscaling.alpha.kubernetes.io/scale-down-tolerance", "autoscaling.alpha.kubernetes.io/scale-up-tolerance"}

// A metricForm describes how a metric source or status of one type is written in v1: the fields in
// order, each with its path in v2. A path with ! is written even if it is zero.
type metricForm struct{ source, status []string }

var metricForms = map[string]metricForm{
	"object": {
		[]string{"target=describedObject", "metricName!=metric.name", "targetValue!=target.value", "selector=metric.selector",
			"averageValue=target.averageValue"},
		[]string{"target=describedObject", "metricName!=metric.name", "currentValue!=current.value",
			"selector=metric.selector", "averageValue=current.averageValue"},
	},
	"pods": {
		[]string{"metricName!=metric.name", "targetAverageValue!=target.averageValue", "selector=metric.selector"},
		[]string{"metricName!=metric.name", "currentAverageValue!=current.averageValue", "selector=metric.selector"},
	},
	"resource": {
		[]string{"name!=name", "targetAverageUtilization=target.averageUtilization",
			"targetAverageValue=target.averageValue"},
		[]string{"name!=name", "currentAverageUtilization=current.averageUtilization",
			"currentAverageValue!=current.averageValue"},
	},
	"containerResource": {
		[]string{"name!=name", "targetAverageUtilization=target.averageUtilization", "targetAverageValue=target.averageValue",
			"container!=container"},
		[]string{"name!=name", "currentAverageUtilization=current.averageUtilization",
			"currentAverageValue!=current.averageValue", "container!=container"},
	},
	"external": {
		[]string{"metricName!=metric.name", "metricSelector=metric.selector", "targetValue=target.value",
			"targetAverageValue=target.averageValue"},
		[]string{"metricName!=metric.name", "metricSelector=metric.selector", "currentValue!=current.value",
			"currentAverageValue=current.averageValue"},
	},
}

// metricOrder is the order of a metric's fields.
var metricOrder = []string{"object", "pods", "resource", "containerResource", "external"}

// cpuTarget is the target of the metric that v1 has a field for.
func cpuTarget(metric map[string]any) (any, bool) {
	resource := tree.Object(metric, "resource")
	if tree.Text(metric, "type") != "Resource" || tree.Text(resource, "name") != "cpu" {
		return nil, false
	}
	n, ok := tree.Object(resource, "target")["averageUtilization"]
	return n, ok && n != nil
}

// AutoscalerToV1 converts a v2 object to v1.
func AutoscalerToV1(obj map[string]any) {
	spec, status := tree.Make(obj, "spec"), tree.Make(obj, "status")
	notes := map[string]string{}
	var others []string
	for _, m := range tree.Objects(spec, "metrics") {
		if n, ok := cpuTarget(m); !ok {
			others = append(others, metricText(m, func(f metricForm) []string { return f.source }))
		} else if spec["targetCPUUtilizationPercentage"] == nil {
			spec["targetCPUUtilizationPercentage"] = n
		}
	}
	if len(others) > 0 {
		notes[otherMetrics] = "[" + strings.Join(others, ",") + "]"
	}
	var now []string
	for _, m := range tree.Objects(status, "currentMetrics") {
		now = append(now, metricText(m, func(f metricForm) []string { return f.status }))
		resource := tree.Object(m, "resource")
		if n := tree.Object(resource, "current")["averageUtilization"]; n != nil && tree.Text(m, "type") == "Resource" &&
			tree.Text(resource, "name") == "cpu" {
			status["currentCPUUtilizationPercentage"] = n
		}
	}
	if len(now) > 0 {
		notes[currentMetrics] = "[" + strings.Join(now, ",") + "]"
	}
	if behavior := tree.Object(spec, "behavior"); behavior != nil {
		notes[behaviorSpec] = string(shape.HorizontalPodAutoscalerBehavior.Print(behavior))
	}
	if conditions := tree.List(status, "conditions"); len(conditions) > 0 {
		for _, c := range conditions {
			if m := tree.Map(c); m["lastTransitionTime"] == nil {
				m["lastTransitionTime"] = nil // always written
			}
		}
		notes[currentConditions] = string(tree.OrderedList(conditions, "type", "status", "lastTransitionTime", "reason",
			"message"))
	}
	delete(spec, "metrics")
	delete(spec, "behavior")
	delete(status, "currentMetrics")
	delete(status, "conditions")
	tree.DefaultNil(status, "currentReplicas", int64(0)) // always written
	dropAnnotations(obj)
	for name, text := range notes {
		tree.Make(object.Meta(obj), "annotations")[name] = text
	}
}

// keepNotes copies annotations that stand for a part of a v1 object which a request does not change.
func keepNotes(obj, old map[string]any, names ...string) {
	if tree.Text(obj, "apiVersion") == "autoscaling/v2" {
		return
	}
	notes, was := tree.Make(object.Meta(obj), "annotations"), tree.Object(object.Meta(old), "annotations")
	for _, name := range names {
		tree.Keep(notes, was, name)
	}
	if len(notes) == 0 {
		delete(object.Meta(obj), "annotations")
	}
}

// dropAnnotations removes the annotations that stand for fields in v1. No object in v2 has them.
func dropAnnotations(obj map[string]any) {
	annotations := tree.Object(object.Meta(obj), "annotations")
	for _, name := range autoscalerAnnotations {
		delete(annotations, name)
	}
	if annotations != nil && len(annotations) == 0 {
		delete(object.Meta(obj), "annotations")
	}
}

// metricText returns a v2 metric as JSON of v1.
func metricText(metric map[string]any, fields func(metricForm) []string) string {
	out := map[string]any{"type": tree.Text(metric, "type")}
	for name, form := range metricForms {
		if from := tree.Object(metric, name); from != nil {
			flat, keys := map[string]any{}, []string{}
			for _, f := range fields(form) {
				to, path, _ := strings.Cut(f, "=")
				to, always := strings.CutSuffix(to, "!")
				v, _ := object.Get(from, strings.Split(path, ".")...)
				if v == nil && always {
					v = map[bool]any{true: "0", false: ""}[strings.HasSuffix(to, "Value")]
				}
				if ref := tree.Map(v); path == "describedObject" && ref != nil {
					v = tree.Ordered(ref, "kind", "name", "apiVersion")
				}
				if v != nil {
					flat[to] = v
				}
				keys = append(keys, to)
			}
			out[name] = json.RawMessage(tree.Ordered(flat, keys...))
		}
	}
	return string(tree.Ordered(out, append([]string{"type"}, metricOrder...)...))
}

// AutoscalerToV2 converts a v1 object to v2. Annotations that cannot be read are ignored.
func AutoscalerToV2(obj map[string]any) {
	spec, status := tree.Make(obj, "spec"), tree.Make(obj, "status")
	annotations := tree.Object(object.Meta(obj), "annotations")
	read := func(name string) []any {
		v, err := object.DecodeAny([]byte(tree.Text(annotations, name)))
		l, _ := v.([]any)
		if err != nil {
			return nil
		}
		return l
	}
	var metrics []any
	for _, m := range read(otherMetrics) {
		metrics = append(metrics, metricTree(tree.Map(m), "target", func(f metricForm) []string { return f.source }))
	}
	if n := spec["targetCPUUtilizationPercentage"]; n != nil {
		metrics = append(metrics, cpuMetric("target", map[string]any{"type": "Utilization", "averageUtilization": n}))
	}
	if len(metrics) == 0 {
		metrics = []any{cpuMetric("target", map[string]any{"type": "Utilization", "averageUtilization": int64(80)})}
	}
	spec["metrics"] = metrics
	if n := status["currentCPUUtilizationPercentage"]; n != nil {
		status["currentMetrics"] = []any{cpuMetric("current", map[string]any{"averageUtilization": n})}
	}
	if l := read(currentMetrics); l != nil {
		var now []any
		for _, m := range l {
			now = append(now, metricTree(tree.Map(m), "current", func(f metricForm) []string { return f.status }))
		}
		status["currentMetrics"] = now
	}
	if l := read(currentConditions); l != nil {
		status["conditions"] = l
	}
	if v, err := object.DecodeAny([]byte(tree.Text(annotations, behaviorSpec))); err == nil {
		if behavior := lowerFields(v); len(tree.Map(behavior)) > 0 {
			spec["behavior"] = behavior
		}
	}
	delete(spec, "targetCPUUtilizationPercentage")
	delete(status, "currentCPUUtilizationPercentage")
	dropAnnotations(obj)
}

func cpuMetric(part string, value map[string]any) map[string]any {
	return map[string]any{"type": "Resource", "resource": map[string]any{"name": "cpu", part: value}}
}

// metricTree converts a v1 metric to v2.
func metricTree(metric map[string]any, part string, fields func(metricForm) []string) map[string]any {
	out := map[string]any{"type": tree.Text(metric, "type")}
	for name, form := range metricForms {
		from := tree.Object(metric, name)
		if from == nil {
			continue
		}
		to := map[string]any{part: map[string]any{}}
		for _, f := range fields(form) {
			key, path, _ := strings.Cut(f, "=")
			if v := from[strings.TrimSuffix(key, "!")]; v != nil {
				object.SetNested(to, v, strings.Split(path, ".")...)
			}
		}
		if value := tree.Object(to, part); part == "current" && value["averageUtilization"] != nil &&
			value["averageValue"] == "0" {
			delete(value, "averageValue") // v1 requires one
		}
		if part == "target" {
			target := tree.Object(to, part)
			switch {
			case target["averageUtilization"] != nil:
				target["type"] = "Utilization"
			case name == "object" && target["averageValue"] == nil, name == "external" && target["value"] != nil:
				target["type"] = "Value"
			default:
				target["type"] = "AverageValue"
				if name == "object" && target["value"] == "0" {
					delete(target, "value")
				}
			}
		}
		out[name] = to
	}
	return out
}

// lowerFields converts the Go field names in a tree to JSON names, and drops null fields.
func lowerFields(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if e != nil && k != "" {
				out[strings.ToLower(k[:1])+k[1:]] = lowerFields(e)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = lowerFields(e)
		}
		return out
	}
	return v
}
