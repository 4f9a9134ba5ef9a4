package pod

import (
	"maps"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// updateResize is the update of pods/resize: the cpu and memory of running containers may change.
// All changes but those of resources and resize policies are dropped; other containers are
// violations.
func updateResize(_ *strategy.Context, obj, old map[string]any) field.ErrorList {
	spec, was := tree.Make(obj, "spec"), tree.Object(old, "spec")
	errs := sameContainers(spec, was)
	if errs == nil {
		spec = resized(spec, was)
	}
	errs = append(replacePodSpec(obj, old, spec), validateResize(old, spec)...)
	if mirror := object.GetString(old, "metadata", "annotations", mirrorPod); mirror != "" {
		return field.ErrorList{field.Forbidden("", "static pods cannot be resized")}
	}
	if tree.Text(tree.Object(was, "os"), "name") == "windows" {
		return field.ErrorList{field.Forbidden("", "windows pods cannot be resized")}
	}
	return errs
}

// Resizable are the lists of containers that may be resized.
var Resizable = []string{"initContainers", "containers"}

// resized returns the old spec with the resources of another that has the same containers.
func resized(spec, was map[string]any) map[string]any {
	out := object.DeepCopy(was)
	tree.Keep(out, spec, "resources")
	for _, list := range Resizable {
		now := tree.Objects(spec, list)
		for i, c := range tree.Objects(out, list) {
			tree.Keep(c, now[i], "resources")
			tree.Keep(c, now[i], "resizePolicy")
		}
	}
	return out
}

// sameContainers returns the violations of containers that are added, removed, renamed or
// reordered.
func sameContainers(spec, was map[string]any) field.ErrorList {
	var errs field.ErrorList
	for _, list := range []string{"containers", "initContainers"} {
		at, now, before := field.Path("spec").Child(list), tree.Objects(spec, list), tree.Objects(was, list)
		if len(now) != len(before) {
			errs.Add(field.Forbidden(at, list+" may not be added or removed on resize"))
			continue
		}
		for i, c := range before {
			if now[i]["name"] != c["name"] {
				errs.Add(field.Forbidden(at.Index(i).Child("name"), list+" may not be renamed or reordered on resize"))
			}
		}
	}
	return errs
}

// validateResize returns the violations of a resized spec.
func validateResize(old, spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	p, was := field.Path("spec"), tree.Object(old, "spec")
	class := tree.Text(tree.Object(old, "status"), "qosClass")
	if class == "" {
		class = qosClass(was)
	}
	if class != qosClass(spec) {
		errs.Add(field.Invalid(p, tree.Text(tree.Object(old, "status"), "qosClass"),
			"Pod QOS Class may not change as a result of resizing"))
	}
	if !nodeResizes(tree.Object(old, "status")) {
		errs.Add(field.Forbidden(p, "Pod running on node without support for resize"))
	}
	errs.Add(podLevelResize(spec, was)...)
	if len(tree.List(tree.Object(old, "status"), "nodeAllocatableResourceClaimStatuses")) > 0 {
		errs.Add(field.Forbidden(p, "pods with node allocatable resource claims cannot be resized"))
	}
	if order := sameContainers(spec, was); order != nil {
		return append(errs, order...)
	}
	for _, list := range Resizable {
		before := tree.Objects(was, list)
		for i, c := range tree.Objects(spec, list) {
			now, before := tree.Object(c, "resources"), tree.Object(before[i], "resources")
			errs.Add(removedResources(now, before, p.Child(list).Index(i).Child("resources"),
				"resource requests cannot be removed", "resource limits cannot be removed")...)
		}
	}
	before := tree.Objects(was, "containers")
	for i, c := range tree.Objects(spec, "containers") {
		if !onlyCPUAndMemory(c, before[i]) {
			errs.Add(field.Forbidden(p, "only cpu and memory resources are mutable"))
		}
	}
	before = tree.Objects(was, "initContainers")
	for i, c := range tree.Objects(spec, "initContainers") {
		errs.Add(initResize(c, before[i], p.Child("initContainers").Index(i))...)
	}
	return errs
}

// initResize returns the violations of an init container or sidecar that is resized.
func initResize(c, before map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if !onlyCPUAndMemory(c, before) {
		errs.Add(field.Forbidden(at, "only cpu and memory resources for init or sidecar containers are mutable"))
	}
	if tree.Text(c, "restartPolicy") == "Always" || object.Equal(c, before) {
		return errs
	}
	for _, policy := range tree.Objects(c, "resizePolicy") {
		if tree.Text(policy, "restartPolicy") == "RestartContainer" {
			errs.Add(field.Forbidden(at,
				"non-sidecar init containers with a resize policy of RestartContainer cannot be resized"))
		}
	}
	return errs
}

// podLevelResize returns the violations of resized pod-level resources.
func podLevelResize(spec, was map[string]any) field.ErrorList {
	at, now, before := field.Path("spec.resources"), tree.Object(spec, "resources"), tree.Object(was, "resources")
	if before == nil && len(tree.Object(now, "requests"))+len(tree.Object(now, "limits")) == 0 {
		return nil
	}
	if before != nil && now == nil {
		return field.ErrorList{field.Forbidden(at, "pod-level resources cannot be removed")}
	}
	errs := removedResources(now, before, at,
		"pod-level resource requests cannot be removed", "pod-level resource limits cannot be removed")
	if !object.Equal(withoutCPUAndMemory(now), withoutCPUAndMemory(before)) {
		errs.Add(field.Forbidden("spec", "only cpu and memory resources are mutable at pod-level"))
	}
	return errs
}

// removedResources returns the violations of requests and limits that were removed.
func removedResources(now, before map[string]any, at field.Path, requests, limits string) field.ErrorList {
	var errs field.ErrorList
	for _, f := range [][2]string{{"requests", requests}, {"limits", limits}} {
		for name := range tree.Object(before, f[0]) {
			if _, ok := tree.Object(now, f[0])[name]; !ok {
				errs.Add(field.Forbidden(at.Child(f[0]), f[1]))
				break
			}
		}
	}
	return errs
}

// onlyCPUAndMemory reports whether a container's resources differ only in these.
func onlyCPUAndMemory(c, before map[string]any) bool {
	c, before = maps.Clone(c), maps.Clone(before)
	c["resources"] = withoutCPUAndMemory(tree.Object(c, "resources"))
	before["resources"] = withoutCPUAndMemory(tree.Object(before, "resources"))
	return object.Equal(c, before)
}

// withoutCPUAndMemory returns a copy of resources without these and without empty lists.
func withoutCPUAndMemory(resources map[string]any) map[string]any {
	out := object.DeepCopy(resources)
	for _, list := range []string{"requests", "limits"} {
		delete(tree.Object(out, list), "cpu")
		delete(tree.Object(out, list), "memory")
		if len(tree.Object(out, list)) == 0 {
			delete(out, list)
		}
	}
	if len(tree.List(out, "claims")) == 0 {
		delete(out, "claims")
	}
	if out == nil {
		out = map[string]any{}
	}
	return out
}

// nodeResizes reports whether a pod's node reports the resources of running containers; older nodes
// that do not cannot resize them.
func nodeResizes(status map[string]any) bool {
	for _, c := range tree.Objects(status, "containerStatuses") {
		if tree.Object(tree.Object(c, "state"), "running") != nil {
			return c["resources"] != nil
		}
	}
	return true
}
