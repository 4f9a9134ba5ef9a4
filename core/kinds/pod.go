package kinds

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/object"
)

var pod = Rules{
	Subresources: map[string]func(c *Context, obj, old map[string]any) field.ErrorList{
		// A binding changes what an update may not; BindPod has checked it.
		"binding":             func(*Context, map[string]any, map[string]any) field.ErrorList { return nil },
		"ephemeralcontainers": updateEphemeral,
		"resize":              updateResize,
	},
	Default:     defaultPod,
	Admit:       admitPod,
	AdmitUpdate: admitPodUpdate,
	PrepareCreate: func(c *Context, obj map[string]any) {
		obj["status"] = newPodStatus(c, dict(obj, "spec"))
		dropUnknown(dict(obj, "spec"))
		applyMatchKeys(obj)
		syncArmor(c, obj)
		if wrong := syntax.Label(object.Name(obj)); len(wrong) > 0 {
			c.warn(fmt.Sprintf("metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [%s]",
				strings.Join(wrong, " ")))
		}
		templateWarner{warner: warner{c}}.pod(obj)
	},
	PrepareUpdate: func(_ *Context, obj, _ map[string]any) { dropUnknown(dict(obj, "spec")) },
	PrepareStatus: func(_ *Context, obj, old map[string]any) {
		meta := object.Meta(obj)
		delete(meta, "deletionTimestamp") // the old one comes back
		keepField(meta, object.Meta(old), "ownerReferences")
		status, was := sub(obj, "status"), dict(old, "status")
		delete(status, "nodeAllocatableResourceClaimStatuses") // behind a gate
		for _, name := range []string{"qosClass", "observedGeneration"} {
			if v := status[name]; v == nil || v == "" {
				keepField(status, was, name)
			}
		}
	},
	Validate: func(obj map[string]any) field.ErrorList {
		errs := validatePod(obj)
		spec := dict(obj, "spec")
		if len(list(spec, "ephemeralContainers")) > 0 {
			errs.Add(field.Forbidden("spec.ephemeralContainers", "cannot be set on create"))
		}
		if str(spec, "nodeName") != "" && len(list(spec, "schedulingGates")) > 0 {
			errs.Add(field.Forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"))
		}
		return errs
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := append(validatePod(obj), annotationsKept(obj, old)...)
		return append(errs, podKept(dict(obj, "spec"), dict(old, "spec"))...)
	},
	ValidateStatus: validatePodStatus,
}

var podTemplate = Rules{
	Default: func(obj map[string]any) { defaultTemplate(sub(obj, "template")) },
	PrepareCreate: func(c *Context, obj map[string]any) {
		dropUnknown(deep(obj, "template.spec"))
		templateWarner{warner{c}, "template"}.pod(dict(obj, "template"))
	},
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
		dropUnknown(deep(obj, "template.spec"))
		if !object.Equal(obj["template"], old["template"]) {
			templateWarner{warner{c}, "template"}.pod(dict(obj, "template"))
		}
	},
	Validate: func(obj map[string]any) field.ErrorList {
		return validateTemplate(dict(obj, "template"), "template")
	},
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList {
		return validateTemplate(dict(obj, "template"), "template")
	},
}

// defaultPod fills in what pods have and pod templates have not.
func defaultPod(obj map[string]any) {
	spec := sub(obj, "spec")
	defaultPodSpec(spec)
	shared := flag(spec, "hostNetwork")
	for _, name := range containerLists[:2] {
		for _, c := range entries(spec, name) {
			resources := dict(c, "resources")
			for name, limit := range dict(resources, "limits") {
				def(sub(resources, "requests"), name, limit)
			}
			if !shared {
				continue
			}
			for _, port := range entries(c, "ports") {
				if n, _ := num(port, "hostPort"); n == 0 {
					port["hostPort"] = port["containerPort"]
				}
			}
		}
	}
	defaultWhole(spec)
	def(spec, "enableServiceLinks", true)
	status := dict(obj, "status")
	if ips := entries(status, "podIPs"); len(ips) > 0 {
		def(status, "podIP", ips[0]["ip"])
	}
	if ip := str(status, "podIP"); ip != "" && (len(list(status, "podIPs")) == 0 || entries(status, "podIPs")[0]["ip"] != ip) {
		status["podIPs"] = []any{map[string]any{"ip": ip}}
	}
}

func newPodStatus(c *Context, spec map[string]any) map[string]any {
	status := map[string]any{"phase": "Pending", "qosClass": qosClass(spec)}
	if len(list(spec, "schedulingGates")) > 0 {
		status["conditions"] = []any{map[string]any{
			"type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
			"message":       "Scheduling is blocked due to non-empty scheduling gates",
			"lastProbeTime": nil, "lastTransitionTime": c.now(),
		}}
	}
	return status
}

// qosClass sorts a pod by what its containers ask for: nothing, exactly what
// they are limited to, or anything else.
func qosClass(spec map[string]any) string {
	lists := []map[string]any{dict(spec, "resources")}
	if lists[0] == nil {
		lists = nil
		for _, c := range slices.Concat(entries(spec, "containers"), entries(spec, "initContainers")) {
			lists = append(lists, dict(c, "resources"))
		}
	}
	asked, guaranteed := false, true
	for _, resources := range lists {
		for _, name := range []string{"cpu", "memory"} {
			request, limit := dict(resources, "requests")[name], dict(resources, "limits")[name]
			asked = asked || positive(request) || positive(limit)
			guaranteed = guaranteed && positive(limit) && !moreThan(request, limit) && !moreThan(limit, request)
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

// admitPod is what the plugins Priority and DefaultTolerationSeconds do.
func admitPod(c *Context, obj map[string]any) field.ErrorList {
	spec := sub(obj, "spec")
	value, policy, err := priorityOf(c, str(spec, "priorityClassName"))
	if err == nil && spec["priority"] != nil && spec["priority"] != value {
		err = fmt.Errorf("the integer value of priority (%v) must not be provided in pod spec; priority admission controller computed %d from the given PriorityClass name", spec["priority"], value)
	}
	if err == nil && spec["preemptionPolicy"] != nil && spec["preemptionPolicy"] != policy {
		err = fmt.Errorf("the string value of PreemptionPolicy (%v) must not be provided in pod spec; priority admission controller computed %v from the given PriorityClass name", spec["preemptionPolicy"], policy)
	}
	if err != nil {
		return c.refuse(err)
	}
	spec["priority"], spec["preemptionPolicy"] = value, policy
	tolerateNodes(spec)
	if err := admitRuntime(c, spec); err != nil {
		return c.refuse(err)
	}
	return nil
}

func admitPodUpdate(_ *Context, obj, old map[string]any) {
	spec, was := sub(obj, "spec"), dict(old, "spec")
	for _, name := range []string{"priority", "preemptionPolicy"} {
		if spec[name] == nil {
			keepField(spec, was, name)
		}
	}
	tolerateNodes(spec)
}

// priorityOf finds what a class stands for. No name is the default class, or
// none at all.
func priorityOf(c *Context, name string) (value int64, policy string, err error) {
	if c.PriorityClass != nil {
		if class, ok := c.PriorityClass(name); ok {
			value, _ = num(class, "value")
			if policy = str(class, "preemptionPolicy"); policy == "" {
				policy = "PreemptLowerPriority"
			}
			return value, policy, nil
		}
	}
	if name == "" {
		return 0, "PreemptLowerPriority", nil
	}
	return 0, "", errors.New("no PriorityClass with name " + name + " was found")
}

// tolerateNodes lets a pod stay for five minutes on a node that is in trouble,
// unless it says otherwise.
func tolerateNodes(spec map[string]any) {
	tolerations := list(spec, "tolerations")
	given := len(tolerations)
	for _, key := range [...]any{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
		tolerates := slices.ContainsFunc(tolerations[:given], func(v any) bool {
			t := asMap(v)
			k, effect := str(t, "key"), str(t, "effect")
			return t != nil && (k == key || k == "") && (effect == "NoExecute" || effect == "")
		})
		if !tolerates {
			tolerations = append(slices.Grow(tolerations, 2), map[string]any{
				"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(300),
			})
		}
	}
	if len(tolerations) > given {
		spec["tolerations"] = tolerations
	}
}

const updatable = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
	"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n"

// podKept checks that a pod changes only in the few ways that it may.
func podKept(spec, was map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	for _, name := range []string{"containers", "initContainers"} {
		now, before := entries(spec, name), entries(was, name)
		if len(now) != len(before) {
			return append(errs, field.Forbidden(p.Child(name), "pod updates may not add or remove containers"))
		}
		for i, c := range now {
			image, at := str(c, "image"), p.Child(name).Index(i).Child("image")
			if image == "" {
				errs.Add(field.Required(at, ""))
			}
			if strings.TrimSpace(image) != image {
				errs.Add(field.Invalid(at, image, "must not have leading or trailing whitespace"))
			}
		}
	}
	deadline, hasDeadline := num(spec, "activeDeadlineSeconds")
	before, hadDeadline := num(was, "activeDeadlineSeconds")
	switch at := p.Child("activeDeadlineSeconds"); {
	case hasDeadline && (deadline < 0 || deadline > math.MaxInt32):
		return append(errs, field.Invalid(at, deadline, "must be between 0 and 2147483647, inclusive"))
	case hasDeadline && hadDeadline && before < deadline:
		return append(errs, field.Invalid(at, deadline, "must be less than or equal to previous value"))
	case hadDeadline && !hasDeadline:
		errs.Add(field.Invalid(at, nil, "must not update from a positive integer to nil value"))
	}
	errs.Add(tolerationsKept(spec, was, p.Child("tolerations"))...)
	gates := map[any]bool{}
	for _, gate := range entries(was, "schedulingGates") {
		gates[gate["name"]] = true
	}
	for i, gate := range entries(spec, "schedulingGates") {
		if !gates[gate["name"]] {
			errs.Add(field.Forbidden(p.Child("schedulingGates").Index(i).Child("name"), "only deletion is allowed, but found new scheduling gate '"+str(gate, "name")+"'"))
		}
	}
	if len(list(was, "schedulingGates")) > 0 {
		errs.Add(onlyNarrowed(spec, was)...)
	}
	if diff := podDifference(spec, was); diff != "" {
		errs.Add(field.Forbidden(p, updatable+diff))
	}
	return errs
}

func tolerationsKept(spec, was map[string]any, at field.Path) field.ErrorList {
	// The seconds may be others; that there are none is said by leaving them out.
	kept := map[string]bool{}
	for _, t := range entries(spec, "tolerations") {
		kept[object.Key(withoutKeys(t, "tolerationSeconds"))] = true
	}
	for _, old := range entries(was, "tolerations") {
		if !kept[object.Key(withoutKeys(old, "tolerationSeconds"))] {
			return field.ErrorList{field.Forbidden(at, "existing toleration can not be modified except its tolerationSeconds")}
		}
	}
	return validateTolerations(spec, "spec") // once more
}

// podDifference names, with both values, the fields of a pod's spec that changed
// and may not.
func podDifference(spec, was map[string]any) string {
	if object.Identical(spec, was) {
		return ""
	}
	spec = object.DeepCopy(spec)
	for _, name := range []string{"activeDeadlineSeconds", "tolerations", "schedulingGates"} {
		keepField(spec, was, name)
	}
	for _, name := range []string{"containers", "initContainers"} {
		for i, c := range entries(spec, name) {
			keepField(c, entries(was, name)[i], "image")
		}
	}
	if n, _ := num(was, "terminationGracePeriodSeconds"); n < 0 && spec["terminationGracePeriodSeconds"] == int64(1) {
		keepField(spec, was, "terminationGracePeriodSeconds")
	}
	if len(list(was, "schedulingGates")) > 0 {
		// A pod that waits may still be told more about where it should go.
		keepField(spec, was, "nodeSelector")
		affinity := sub(spec, "affinity")
		if keepField(affinity, dict(was, "affinity"), "nodeAffinity"); len(affinity) == 0 && was["affinity"] == nil {
			delete(spec, "affinity")
		}
	}
	return difference(spec, was)
}

// onlyNarrowed checks that a pod that waits asks for more of its node and never
// for less.
func onlyNarrowed(spec, was map[string]any) field.ErrorList {
	var errs field.ErrorList
	s := dict(spec, "nodeSelector")
	for key, value := range dict(was, "nodeSelector") {
		if v, ok := s[key]; !ok || v != value {
			errs.Add(field.Invalid("spec.nodeSelector", spec["nodeSelector"], "only additions to spec.nodeSelector are allowed (no mutations or deletions)"))
			break
		}
	}
	required := deep(spec, "affinity.nodeAffinity."+requiredTerms)
	now, before := entries(required, "nodeSelectorTerms"), entries(deep(was, "affinity.nodeAffinity."+requiredTerms), "nodeSelectorTerms")
	at := field.NewPath("spec.affinity.nodeAffinity", requiredTerms, "nodeSelectorTerms")
	if len(before) > 0 && len(now) != len(before) {
		return append(errs, field.Invalid(at, goStructs(required, "nodeSelectorTerms", printTerm), "no additions/deletions to non-empty NodeSelectorTerms list are allowed"))
	}
	for i, old := range before {
		kept, empty := true, true
		for _, name := range []string{"matchExpressions", "matchFields"} {
			had, has := list(old, name), list(now[i], name)
			empty = empty && len(had) == 0
			kept = kept && len(has) >= len(had) && object.Equal(any(has[:min(len(has), len(had))]), any(had))
		}
		if !kept || empty && !object.Equal(now[i], old) {
			errs.Add(field.Invalid(at.Index(i), printTerm(now[i]), "only additions are allowed (no mutations or deletions)"))
		}
	}
	return errs
}

// printTerm prints a term of a selector of nodes as the real server does.
func printTerm(term map[string]any) field.Raw {
	term = maps.Clone(term)
	for _, name := range []string{"matchExpressions", "matchFields"} {
		term[name] = goStructs(term, name, func(e map[string]any) field.Raw { return goStruct(e, `Key=""`, `Operator=""`, "Values") })
	}
	return goStruct(term, "MatchExpressions", "MatchFields")
}

// difference shows, with both values, the fields in which two objects differ.
func difference(now, was map[string]any) string {
	var b strings.Builder
	names := maps.Clone(now)
	maps.Copy(names, was)
	for _, name := range sortedKeys(names) {
		if before, after := was[name], now[name]; !object.Equal(before, after) {
			fmt.Fprintf(&b, "-%s: %s\n+%s: %s\n", name, jsonText(before), name, jsonText(after))
		}
	}
	return b.String()
}

// CheckBinding says what is wrong with a binding, which is answered as an internal
// error without a reason.
func CheckBinding(binding map[string]any) (errs field.ErrorList) {
	target := dict(binding, "target")
	if kind := str(target, "kind"); kind != "" && kind != "Node" {
		errs.Add(field.NotSupported("target.kind", kind, "Node", "<empty>"))
	}
	if str(target, "name") == "" {
		errs.Add(field.Required("target.name", ""))
	}
	return errs
}

// BindPod carries out a binding: it makes pod, a copy of the stored object, one
// that is scheduled. The error is the conflict of a pod that cannot be bound.
func BindPod(c *Context, pod, binding map[string]any) error {
	meta, spec := object.Meta(pod), sub(pod, "spec")
	switch node := str(spec, "nodeName"); {
	case meta["deletionTimestamp"] != nil:
		return fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", str(meta, "name"))
	case node != "":
		return fmt.Errorf("pod %v is already assigned to node %q", str(meta, "name"), node)
	case len(list(spec, "schedulingGates")) > 0:
		return fmt.Errorf("pod %v has non-empty .spec.schedulingGates", str(meta, "name"))
	}
	spec["nodeName"] = str(dict(binding, "target"), "name")
	for _, name := range []string{"annotations", "labels"} {
		for key, value := range dict(object.Meta(binding), name) {
			sub(meta, name)[key] = value
		}
	}
	status := sub(pod, "status")
	delete(status, "nominatedNodeName")
	conditions := slices.DeleteFunc(slices.Clone(list(status, "conditions")), func(v any) bool {
		return str(asMap(v), "type") == "PodScheduled"
	})
	scheduled := map[string]any{
		"type": "PodScheduled", "status": "True", "lastProbeTime": nil, "lastTransitionTime": c.now(),
	}
	status["conditions"] = append(conditions, scheduled)
	return nil
}
