// Package quota says what the objects of a resource type count in ResourceQuotas: which of a quota's resources they
// count in, by how much, and whether its scopes select them. The admission plugin charges by it, and the controller
// measures.
//
// Amounts are quantities as texts, by the names of a quota's resources. An object costs one pass over its containers.
// Devices that a pod requests as an extended resource are charged to the pod only.
package quota

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Ignored reports whether no quota counts objects of a type: those that are not stored, are in no namespace, or are
// Events.
func Ignored(t *schema.Resource) bool {
	return t.Virtual || !t.Namespaced || t.Plural == "events" && (t.Group == "" || t.Group == "events.k8s.io")
}

// Count returns the name of the resource that counts the objects of a type.
func Count(t *schema.Resource) string {
	if t.Group == "" {
		return "count/" + t.Plural
	}
	return "count/" + t.Plural + "." + t.Group
}

// kindOf returns the plural of a type whose objects count in more than Count, "" for others.
func kindOf(t *schema.Resource) string {
	switch t.Group + "/" + t.Plural {
	case "/pods", "/services", "/persistentvolumeclaims", "resource.k8s.io/resourceclaims", "/configmaps", "/secrets",
		"/resourcequotas", "/replicationcontrollers":
		return t.Plural
	}
	return ""
}

// ByContent reports whether it depends on their content what objects of a type count.
func ByContent(t *schema.Resource) bool {
	switch kindOf(t) {
	case "pods", "services", "persistentvolumeclaims", "resourceclaims":
		return true
	}
	return false
}

const (
	ofClass   = ".storageclass.storage.k8s.io/"
	ofDevices = ".deviceclass.resource.k8s.io/devices"
	// deviceClass is the prefix of the extended resources that device classes are.
	deviceClass = "deviceclass.resource.kubernetes.io/"
	requests    = "requests."
)

// Tracked returns those of a quota's resources in which objects of a type count, in order.
func Tracked(t *schema.Resource, hard map[string]any) []string {
	return slices.DeleteFunc(tree.SortedKeys(hard), func(name string) bool { return !tracks(t, name) })
}

func tracks(t *schema.Resource, name string) bool {
	kind := kindOf(t)
	if name == Count(t) || name == kind && kind != "resourceclaims" {
		return true
	}
	switch kind {
	case "pods":
		rest, requested := strings.CutPrefix(name, requests)
		return pod.IsHuge(rest) || isCompute(strings.TrimPrefix(rest, "limits.")) ||
			requested && (!valid.IsNative(name) || strings.HasPrefix(rest, deviceClass))
	case "services":
		return name == "services.nodeports" || name == "services.loadbalancers"
	case "persistentvolumeclaims":
		_, class, _ := strings.Cut(name, ofClass)
		return name == "requests.storage" || class == "requests.storage" || class == kind
	case "resourceclaims":
		return strings.HasSuffix(name, ofDevices)
	}
	return false
}

func isCompute(name string) bool {
	return name == "cpu" || name == "memory" || name == "ephemeral-storage"
}

// Usage returns what an object of a type counts.
func Usage(t *schema.Resource, obj map[string]any, now time.Time) map[string]any {
	kind, spec := kindOf(t), tree.Object(obj, "spec")
	all := map[string]any{Count(t): "1"}
	switch kind {
	case "pods":
		if !ended(obj, now) {
			charge(all, pod.Total(obj, "requests"), pod.Total(obj, "limits"))
			all[kind] = "1"
		}
		return all
	case "services":
		all["services.loadbalancers"] = "0"
		balanced, n := spec["type"] == "LoadBalancer", 0
		if balanced {
			all["services.loadbalancers"] = "1"
		}
		for _, port := range tree.Objects(spec, "ports") {
			asked := !balanced || spec["allocateLoadBalancerNodePorts"] != false || port["nodePort"] != nil
			if asked && (balanced || spec["type"] == "NodePort") {
				n++
			}
		}
		all["services.nodeports"] = strconv.Itoa(n)
	case "persistentvolumeclaims":
		class := object.GetString(obj, "metadata", "annotations", "volume.beta.kubernetes.io/storage-class")
		if class == "" {
			class = tree.Text(spec, "storageClassName")
		}
		if class != "" {
			all[class+ofClass+kind] = "1"
		}
		if size := tree.At(spec, "resources.requests")["storage"]; size != nil {
			if granted := tree.At(obj, "status.allocatedResources")["storage"]; valid.MoreThan(granted, size) {
				size = granted
			}
			size = object.RoundUpQuantity(size.(string), 0)
			all["requests.storage"] = size
			if class != "" {
				all[class+ofClass+"requests.storage"] = size
			}
		}
	case "resourceclaims":
		devices(all, spec)
		return all
	}
	if kind != "" {
		all[kind] = "1"
	}
	return all
}

// devices adds the devices that a claim may get, by their class: of alternatives the most.
func devices(all, spec map[string]any) {
	for _, r := range tree.Objects(tree.Object(spec, "devices"), "requests") {
		most := map[string]any{}
		for _, one := range append(tree.Objects(r, "firstAvailable"), tree.Object(r, "exactly")) {
			n, _ := tree.Int(one, "count")
			if one["allocationMode"] == "All" {
				n = 32 // as many as there can be
			}
			class, count := tree.Text(one, "deviceClassName")+ofDevices, strconv.FormatInt(n, 10)
			if most[class] == nil || valid.MoreThan(count, most[class]) {
				most[class] = count
			}
		}
		delete(most, ofDevices)
		Add(all, most)
	}
}

// charge adds requests and limits of containers by the names that they have in quotas.
func charge(all, asked, limits map[string]any) {
	for name, v := range asked {
		counted := isCompute(name) || pod.IsHuge(name)
		if counted {
			all[name] = v
		}
		if counted || valid.IsExtended(name) || strings.HasPrefix(name, deviceClass) {
			all[requests+name] = v
		}
	}
	for name, v := range limits {
		if isCompute(name) {
			all["limits."+name] = v
		}
	}
}

// ended reports whether a pod takes nothing any more: it is finished, or should have been gone long ago.
func ended(p map[string]any, now time.Time) bool {
	phase := tree.At(p, "status")["phase"]
	grace, graceful := object.GetInt(p, "metadata", "deletionGracePeriodSeconds")
	at, err := time.Parse(time.RFC3339, object.DeletionTimestamp(p))
	return phase == "Failed" || phase == "Succeeded" ||
		err == nil && graceful && now.After(at.Add(time.Duration(grace)*time.Second))
}

// Lacks says which of a quota's resources the containers of a pod do not specify, although they must; "" if none.
func Lacks(p map[string]any, names []string) string {
	var lacking []string
	for _, name := range names {
		base := name[strings.LastIndexByte(name, '.')+1:]
		if base != "cpu" && base != "memory" || pod.HasTotal(p) {
			continue
		}
		var without []string
		part := "resources.requests"
		if strings.HasPrefix(name, "limits.") {
			part = "resources.limits"
		}
		for _, list := range pod.Resizable {
			for _, c := range tree.Objects(tree.Object(p, "spec"), list) {
				if tree.At(c, part)[base] == nil {
					without = append(without, tree.Text(c, "name"))
				}
			}
		}
		if slices.Sort(without); without != nil {
			lacking = append(lacking, name+" for: "+strings.Join(without, ","))
		}
	}
	if lacking == nil {
		return ""
	}
	return "must specify " + strings.Join(lacking, "; ")
}

// Selects reports whether the scopes of a quota select an object of a type. No scope selects objects of most types.
func Selects(quota map[string]any, t *schema.Resource, obj map[string]any) bool {
	spec := tree.Object(quota, "spec")
	for _, scope := range tree.Texts(spec, "scopes") {
		if !inScope(t, obj, map[string]any{"scopeName": scope}) {
			return false
		}
	}
	for _, e := range tree.Objects(tree.Object(spec, "scopeSelector"), "matchExpressions") {
		if !inScope(t, obj, e) {
			return false
		}
	}
	return true
}

func inScope(t *schema.Resource, obj, e map[string]any) bool {
	kind, spec, status := kindOf(t), tree.Object(obj, "spec"), tree.Object(obj, "status")
	scope := tree.Text(e, "scopeName")
	if kind == "persistentvolumeclaims" && scope == "VolumeAttributesClass" {
		return selected(e, spec["volumeAttributesClassName"], status["currentVolumeAttributesClassName"],
			tree.At(status, "modifyVolumeStatus")["targetVolumeAttributesClassName"])
	}
	if kind != "pods" {
		return false
	}
	positive := strings.TrimPrefix(scope, "Not")
	switch positive {
	case "Terminating":
		return (spec["activeDeadlineSeconds"] != nil) == (scope == positive)
	case "BestEffort":
		return (pod.QOSClass(obj) == positive) == (scope == positive)
	case "PriorityClass":
		return selected(e, spec["priorityClassName"])
	}
	return scope == "CrossNamespacePodAffinity" && pod.CrossesNamespaces(obj)
}

// selected reports whether an expression selects an object that has some names.
func selected(e map[string]any, names ...any) bool {
	names = slices.DeleteFunc(names, func(name any) bool { return name == nil || name == "" })
	in := func(name any) bool { return slices.Contains(tree.List(e, "values"), name) }
	switch e["operator"] {
	case "In":
		return slices.ContainsFunc(names, in)
	case "NotIn":
		return len(names) == 0 || slices.ContainsFunc(names, func(name any) bool { return !in(name) })
	case "DoesNotExist":
		return len(names) == 0
	}
	return len(names) > 0
}
