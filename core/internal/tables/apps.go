package tables

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
)

// apps are the kinds of the group apps, and what scales them.
var apps = []kind{
	{"apps", "ControllerRevision", "Name|Controller|Revision|Age", func(v view) []any {
		return []any{v.name(), controller(v), v.number("revision"), v.age()}
	}},
	{"apps", "DaemonSet", "Name|Desired:integer|Current:integer|Ready:integer|Up-to-date:integer|Available:integer|" +
		"Node Selector|Age|Containers*|Images*|Selector*", func(v view) []any {
		cells := []any{
			v.name(), v.number("status", "desiredNumberScheduled"), v.number("status", "currentNumberScheduled"),
			v.number("status", "numberReady"),
			v.number("status", "updatedNumberScheduled"), v.number("status", "numberAvailable"),
			v.labels("spec", "template", "spec", "nodeSelector"), v.age(),
		}
		return append(append(cells, v.containers("spec", "template", "spec")...), v.selector("spec", "selector"))
	}},
	{"apps", "Deployment", "Name|Ready|Up-to-date|Available|Age|Containers*|Images*|Selector*", func(v view) []any {
		selector, err := v.selectorText("spec", "selector")
		if err != nil {
			selector = "<invalid>"
		}
		cells := []any{v.name(), readyOfDesired(v), v.number("status", "updatedReplicas"),
			v.number("status", "availableReplicas"), v.age()}
		return append(append(cells, v.containers("spec", "template", "spec")...), selector)
	}},
	{"apps", "ReplicaSet", "Name|Desired:integer|Current:integer|Ready:integer|Age|Containers*|Images*|Selector*",
		func(v view) []any {
			return append(replicaCells(v), v.selector("spec", "selector"))
		}},
	{"apps", "StatefulSet", "Name|Ready|Age|Containers*|Images*", func(v view) []any {
		return append([]any{v.name(), readyOfDesired(v), v.age()}, v.containers("spec", "template", "spec")...)
	}},
	{"autoscaling", "HorizontalPodAutoscaler", "Name|Reference|Targets|MinPods|MaxPods|Replicas|Age", func(v view) []any {
		return []any{
			v.name(), v.text("spec", "scaleTargetRef", "kind") + "/" + v.text("spec", "scaleTargetRef", "name"), targets(v),
			v.value(unset, "spec", "minReplicas"), v.number("spec", "maxReplicas"), v.number("status", "currentReplicas"),
			v.age(),
		}
	}},
	{"autoscaling", "Scale", "Name:string|Desired:integer|Available:integer|Age", func(v view) []any {
		return []any{v.name(), v.number("spec", "replicas"), v.number("status", "replicas"), v.age()}
	}},
	{"policy", "PodDisruptionBudget", "Name|Min Available|Max Unavailable|Allowed Disruptions:integer|Age",
		func(v view) []any {
			return []any{
				v.name(), v.value("N/A", "spec", "minAvailable"), v.value("N/A", "spec", "maxUnavailable"),
				v.number("status", "disruptionsAllowed"), v.age(),
			}
		}},
}

func readyOfDesired(v view) string {
	return fmt.Sprintf("%d/%d", v.number("status", "readyReplicas"), v.number("spec", "replicas"))
}

// controller returns the controlling owner of an object, as "kind.group/name".
func controller(v view) string {
	for owner := range v.each("metadata", "ownerReferences") {
		if !object.GetBool(owner, "controller") {
			continue
		}
		kind := object.GetString(owner, "kind")
		if group, _, ok := strings.Cut(object.GetString(owner, "apiVersion"), "/"); ok {
			kind += "." + group
		}
		return strings.ToLower(kind) + "/" + object.GetString(owner, "name")
	}
	return none
}

// metricFields are the fields with the details of metrics, by type.
var metricFields = map[string]string{
	"External": "external", "Pods": "pods", "Object": "object", "Resource": "resource",
	"ContainerResource": "containerResource",
}

// targets returns an autoscaler's metrics, each with its current value and its target.
func targets(v view) string {
	metrics, statuses := v.list("spec", "metrics"), v.list("status", "currentMetrics")
	if len(metrics) == 0 {
		return none
	}
	var all []string
	for i, m := range metrics {
		metric, _ := m.(map[string]any)
		kind := object.GetString(metric, "type")
		field, ok := metricFields[kind]
		if !ok {
			all = append(all, "<unknown type>")
			continue
		}
		var current map[string]any
		if i < len(statuses) {
			status, _ := statuses[i].(map[string]any)
			current = object.GetMap(status, field, "current")
		}
		all = append(all, target(kind, object.GetMap(metric, field), current))
	}
	return some(all, 2, len(all), ", ")
}

// missing is what the real server prints for a missing quantity.
const missing = "<nil>"

// target returns a metric of a kind; current is nil if its value is not known.
func target(kind string, metric, current map[string]any) string {
	present := func(absent, field, unit string) string {
		switch {
		case current == nil:
			return unknown
		case !has(current, field):
			return absent
		}
		return value(current, "", field) + unit
	}
	averages := has(metric, "target", "averageValue")
	average := value(metric, missing, "target", "averageValue")
	switch kind {
	case "Resource", "ContainerResource":
		name := object.GetString(metric, "name") + ": "
		if averages {
			return name + present(missing, "averageValue", "") + "/" + average
		}
		goal := "<auto>"
		if has(metric, "target", "averageUtilization") {
			goal = value(metric, "", "target", "averageUtilization") + "%"
		}
		return name + present(unknown, "averageUtilization", "%") + "/" + goal
	case "Pods":
		return present(missing, "averageValue", "") + "/" + average
	}
	if averages {
		return present(unknown, "averageValue", "") + "/" + average + " (avg)"
	}
	return present(missing, "value", "") + "/" + value(metric, missing, "target", "value")
}
