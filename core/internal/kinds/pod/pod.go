// Package pod has the strategies of Pods and PodTemplates, and the defaults, validation and
// warnings of pod templates, which workloads use; also the subresources of pods (binding,
// ephemeralcontainers, resize) and the checks for LimitRanges.
//
// A pod is checked without making paths first, and again with paths if there are violations: a
// valid one costs few allocations.
package pod

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// Pod is the strategy of Pods.
var Pod = strategy.Strategy{
	Subresources: map[string]func(c *strategy.Context, obj, old map[string]any) field.ErrorList{
		// A binding changes fields that an update may not; CheckBinding and Bind have checked it.
		"binding":             func(*strategy.Context, map[string]any, map[string]any) field.ErrorList { return nil },
		"ephemeralcontainers": updateEphemeral,
		"resize":              updateResize,
	},
	Default:     defaultPod,
	KeepsStatus: true, // for newPodStatus
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		obj["status"] = newPodStatus(c, tree.Object(obj, "spec"), tree.Object(obj, "status"))
		DropDisabledFields(tree.Object(obj, "spec"))
		applyMatchKeys(obj)
		applyAppArmorAnnotations(c, obj)
		if wrong := syntax.Label(object.Name(obj)); len(wrong) > 0 {
			c.Warn("metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; " +
				"a DNS label is recommended: [" + strings.Join(wrong, " ") + "]")
		}
		WarnTemplate(c, obj, "")
	},
	PrepareUpdate: func(_ *strategy.Context, obj, _ map[string]any) { DropDisabledFields(tree.Object(obj, "spec")) },
	PrepareStatus: func(_ *strategy.Context, obj, old map[string]any) {
		meta := object.Meta(obj)
		delete(meta, "deletionTimestamp") // the old one is restored
		tree.Keep(meta, object.Meta(old), "ownerReferences")
		status, was := tree.Make(obj, "status"), tree.Object(old, "status")
		delete(status, "nodeAllocatableResourceClaimStatuses") // of a disabled feature
		for _, name := range []string{"qosClass", "observedGeneration"} {
			if v := status[name]; v == nil || v == "" {
				tree.Keep(status, was, name)
			}
		}
	},
	Validate: func(obj map[string]any) field.ErrorList {
		errs := validatePod(obj)
		spec := tree.Object(obj, "spec")
		if len(tree.List(spec, "ephemeralContainers")) > 0 {
			errs.Add(field.Forbidden("spec.ephemeralContainers", "cannot be set on create"))
		}
		if tree.Text(spec, "nodeName") != "" && len(tree.List(spec, "schedulingGates")) > 0 {
			errs.Add(field.Forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"))
		}
		return append(errs, validateProfileAnnotations(spec, tree.Object(object.Meta(obj), "annotations"), "spec")...)
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := append(validatePod(obj), immutableAnnotations(obj, old)...)
		return append(errs, validateSpecUpdate(tree.Object(obj, "spec"), tree.Object(old, "spec"))...)
	},
	ValidateStatus: validatePodStatus,
}

// defaultPod sets the defaults that pods have and templates have not.
func defaultPod(obj map[string]any) {
	spec := tree.Make(obj, "spec")
	defaultPodSpec(spec)
	shared := tree.Bool(spec, "hostNetwork")
	for _, name := range containerLists[:2] {
		for _, c := range tree.Objects(spec, name) {
			resources := tree.Object(c, "resources")
			for name, limit := range tree.Object(resources, "limits") {
				tree.Default(tree.Make(resources, "requests"), name, limit)
			}
			if !shared {
				continue
			}
			for _, port := range tree.Objects(c, "ports") {
				if n, _ := tree.Int(port, "hostPort"); n == 0 {
					port["hostPort"] = port["containerPort"]
				}
			}
		}
	}
	defaultPodResources(spec)
	roundAmounts(spec)
	tree.Default(spec, "enableServiceLinks", true)
	if n, ok := tree.Int(spec, "terminationGracePeriodSeconds"); ok && n < 0 {
		spec["terminationGracePeriodSeconds"] = int64(1)
	}
	status := tree.Object(obj, "status")
	ips := tree.Objects(status, "podIPs")
	if len(ips) > 0 {
		tree.Default(status, "podIP", ips[0]["ip"])
	}
	ip := tree.Text(status, "podIP")
	if ip != "" && (len(ips) == 0 || ips[0]["ip"] != ip) {
		status["podIPs"] = []any{map[string]any{"ip": ip}}
	}
	states := []map[string]any{status}
	for _, name := range containerLists {
		states = append(states, tree.Objects(status, strings.TrimSuffix(name, "s")+"Statuses")...)
	}
	for _, state := range states {
		tree.RoundUp(state, "allocatedResources")
		roundResources(state)
	}
}

// newPodStatus returns the status of a new pod. Of the one that was sent only a class counts, whatever it is.
func newPodStatus(c *strategy.Context, spec, sent map[string]any) map[string]any {
	status := map[string]any{"phase": "Pending", "qosClass": cmp.Or(tree.Text(sent, "qosClass"), qosClass(spec))}
	if len(tree.List(spec, "schedulingGates")) > 0 {
		status["conditions"] = []any{map[string]any{
			"type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
			"message":       "Scheduling is blocked due to non-empty scheduling gates",
			"lastProbeTime": nil, "lastTransitionTime": c.Timestamp(),
		}}
	}
	return status
}

// qosClass returns the quality of service class of a pod, which follows from its containers'
// requests: none, equal to the limits, or anything else.
func qosClass(spec map[string]any) string {
	lists := []map[string]any{tree.Object(spec, "resources")}
	if lists[0] == nil {
		lists = nil
		for _, c := range slices.Concat(tree.Objects(spec, "containers"), tree.Objects(spec, "initContainers")) {
			lists = append(lists, tree.Object(c, "resources"))
		}
	}
	asked, guaranteed := false, true
	for _, resources := range lists {
		for _, name := range []string{"cpu", "memory"} {
			request, limit := tree.Object(resources, "requests")[name], tree.Object(resources, "limits")[name]
			asked = asked || valid.Positive(request) || valid.Positive(limit)
			guaranteed = guaranteed && valid.Positive(limit) &&
				!valid.MoreThan(request, limit) && !valid.MoreThan(limit, request)
		}
	}
	switch {
	case !asked:
		return "BestEffort"
	case guaranteed:
		return "Guaranteed"
	}
	return "Burstable"
}

// DropDisabledFields drops the fields of features that are disabled in the real server.
func DropDisabledFields(spec map[string]any) {
	delete(spec, "schedulingGroup")
	for _, c := range containers(spec) {
		if lifecycle := tree.Object(c, "lifecycle"); lifecycle["stopSignal"] != nil {
			delete(lifecycle, "stopSignal")
			if len(lifecycle) == 0 {
				delete(c, "lifecycle")
			}
		}
	}
	for _, v := range tree.Objects(spec, "volumes") {
		for _, source := range tree.Objects(tree.Object(v, "projected"), "sources") {
			delete(source, "clusterTrustBundle")
			delete(source, "podCertificate")
		}
	}
}
